// The exports of `fairlead/definitions`: agents from files, and the components that definitions may name.

export type { AppConfig, EventsCompactionFields, PluginConfig } from "./app/app-config.ts";
export type { AgentLoader, LoadedApp } from "./loaders/agent-loader.ts";
export { type AgentLoadingProperties, CompiledAgentLoader } from "./loaders/compiled-agent-loader.ts";
export { ConfigAgentLoader } from "./loaders/config-agent-loader.ts";
export { DirectoryAgentLoader } from "./loaders/directory-agent-loader.ts";
export type { GivenAgentLoader } from "./loaders/given-agent-loader.ts";
export { StaticAgentLoader } from "./loaders/static-agent-loader.ts";
export { registerAdditionalComponents } from "./registry/additional-components.ts";
export {
  type AgentClass,
  type AgentParts,
  type Callback,
  ComponentRegistry,
  type PlannerClass,
  type PlannerParts,
  type PluginClass,
  type PluginParts,
  type ToolClass,
  type ToolParts,
  type ToolsetClass,
} from "./registry/component-registry.ts";
export { componentRegistry, registerCoreComponents } from "./registry/core-components.ts";
export type * from "./yaml/agent-config.ts";
export type { PlannerAgentConfig, PlannerConfig } from "./yaml/planner-config.ts";
export { ToolArgsConfig } from "./yaml/tool-args-config.ts";
