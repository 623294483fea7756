import { ContainerCodeExecutor, type ContainerCodeExecutorOptions } from "./container-code-executor.ts";

/** The container sandbox under gVisor's own kernel: the code never speaks to the host's. Needs an engine that knows `runsc`. */
export class GVisorCodeExecutor extends ContainerCodeExecutor {
  constructor(options: Omit<ContainerCodeExecutorOptions, "ociRuntime" | "ociRuntimeFlags"> = {}) {
    // Without a network of its own there is none to take over from the host, which runsc tries otherwise.
    super({ ...options, ociRuntime: "runsc", ociRuntimeFlags: ["network=none"] });
  }
}
