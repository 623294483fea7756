import type { Requirement } from "#test/requirements/requirement.ts";

export const plugins: readonly Requirement[] = [
  { id: "plugins:before-run", line: 266, status: "verified", text: "A plugin's beforeRunCallback gets the invocation context.", names: ["beforeRunCallback"] },
  { id: "plugins:after-run", line: 266, status: "verified", text: "A plugin's afterRunCallback gets the invocation context.", names: ["afterRunCallback"] },
  { id: "plugins:before-agent", line: 267, status: "verified", text: "A plugin's beforeAgentCallback gets agent and callback context." },
  { id: "plugins:after-agent", line: 267, status: "verified", text: "A plugin's afterAgentCallback gets agent and callback context." },
  { id: "plugins:before-model", line: 268, status: "verified", text: "A plugin's beforeModelCallback gets the context and a request it may change.", names: ["beforeModelCallback"] },
  { id: "plugins:after-model", line: 269, status: "verified", text: "A plugin's afterModelCallback gets the context and the response.", names: ["afterModelCallback"] },
  { id: "plugins:before-tool", line: 270, status: "verified", text: "A plugin's beforeToolCallback gets tool, arguments and tool context.", names: ["beforeToolCallback"] },
  { id: "plugins:after-tool", line: 271, status: "verified", text: "A plugin's afterToolCallback gets tool, arguments, tool context and result.", names: ["afterToolCallback"] },
  { id: "plugins:close", line: 272, status: "verified", text: "A plugin can be closed." },
  { id: "plugins:manager:register", line: 274, status: "verified", text: "PluginManager registers plugins.", names: ["PluginManager"] },
  { id: "plugins:manager:get-plugins", line: 274, status: "verified", text: "PluginManager returns its plugins.", names: ["getPlugins"] },
  { id: "plugins:manager:get-plugin", line: 274, status: "verified", text: "PluginManager returns a plugin by name.", names: ["getPlugin"] },
  { id: "plugins:provided:logging", line: 274, status: "verified", text: "A logging plugin is provided." },
  { id: "plugins:provided:context-filter:recent-turns", line: 274, status: "verified", text: "The context filter trims to recent turns." },
  { id: "plugins:provided:context-filter:function", line: 274, status: "verified", text: "The context filter applies a function of the user's own." },
  { id: "plugins:provided:global-instruction", line: 274, status: "verified", text: "A global-instruction plugin is provided." },
  { id: "plugins:provided:replay", line: 274, status: "verified", text: "A plugin that replays recordings is provided." },
  { id: "plugins:provided:analytics", line: 274, status: "verified", text: "A plugin that logs for analytics is provided." },
  { id: "plugins:further-hooks", line: 264, status: "verified", text: "Further hooks are left open.", decided: "`onUserMessageCallback`, `onEventCallback` (before the event is stored), `onModelErrorCallback`, `onToolErrorCallback`, `onRunErrorCallback`." },
  { id: "plugins:order", line: 264, status: "verified", text: "The order of plugins is left open.", decided: "As registered, before the agent's own callbacks; the first that answers ends the chain." },
];
