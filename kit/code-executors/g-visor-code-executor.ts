import { ContainerCodeExecutor, type ContainerCodeExecutorOptions } from "./container-code-executor.ts";

/** The container sandbox under gVisor's own kernel: the code never speaks to the host's. Needs an engine that knows `runsc`. */
export class GVisorCodeExecutor extends ContainerCodeExecutor {
  constructor(options: Omit<ContainerCodeExecutorOptions, "ociRuntime"> = {}) {
    super({ ...options, ociRuntime: "runsc" });
  }
}
