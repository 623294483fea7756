/** The callbacks that an agent with a model accepts. */
export const AGENT_HOOKS = [
  "beforeAgentCallback",
  "afterAgentCallback",
  "beforeModelCallback",
  "afterModelCallback",
  "onModelErrorCallback",
  "beforeToolCallback",
  "afterToolCallback",
  "onToolErrorCallback",
] as const;
