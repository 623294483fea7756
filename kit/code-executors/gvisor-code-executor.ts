import { ContainerCodeExecutor, type ContainerCodeExecutorOptions } from "./container-code-executor.ts";

/**
 * The container sandbox under gVisor's kernel: the code makes no system calls of the host's kernel. Needs an engine
 * with the runtime `runsc`.
 */
export class GVisorCodeExecutor extends ContainerCodeExecutor {
  constructor(options: Omit<ContainerCodeExecutorOptions, "ociRuntime" | "ociRuntimeFlags"> = {}) {
    // The container has no network; without this flag runsc tries to use the host's.
    super({ ...options, ociRuntime: "runsc", ociRuntimeFlags: ["network=none"] });
  }
}
