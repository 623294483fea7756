import type { Requirement } from "#test/requirements/requirement.ts";

export const callbacks: readonly Requirement[] = [
  { id: "callbacks:before-agent", line: 233, status: "verified", text: "A callback before an agent gets the callback context.", names: ["BeforeAgentCallback", "CallbackContext"] },
  { id: "callbacks:after-agent", line: 233, status: "verified", text: "A callback after an agent gets the callback context.", names: ["AfterAgentCallback"] },
  { id: "callbacks:before-model", line: 234, status: "verified", text: "A callback before a model call gets the context and a request it may change.", names: ["BeforeModelCallback"] },
  { id: "callbacks:after-model", line: 235, status: "verified", text: "A callback after a model call gets the context and the response.", names: ["AfterModelCallback"] },
  { id: "callbacks:on-model-error", line: 236, status: "verified", text: "A callback for an error of the model gets the context, the request and the error.", names: ["OnModelErrorCallback"] },
  { id: "callbacks:before-tool", line: 237, status: "verified", text: "A callback before a tool gets invocation context, tool, arguments and tool context.", names: ["BeforeToolCallback", "InvocationContext", "ToolContext"] },
  { id: "callbacks:after-tool", line: 238, status: "verified", text: "A callback after a tool gets the same and the result.", names: ["AfterToolCallback"] },
  { id: "callbacks:on-tool-error", line: 239, status: "verified", text: "A callback for an error of a tool gets the same and the error.", names: ["OnToolErrorCallback"] },
  { id: "callbacks:executor-before-execute", line: 240, status: "verified", text: "A callback before an execution gets the request context.", names: ["BeforeExecuteCallback"] },
  { id: "callbacks:executor-after-event", line: 241, status: "verified", text: "A callback after an event gets request context, artifact update and event.", names: ["AfterEventCallback"] },
  { id: "callbacks:executor-after-execute", line: 242, status: "verified", text: "A callback after an execution gets request context and status update.", names: ["AfterExecuteCallback"] },
  { id: "callbacks:sync-variants", line: 244, status: "verified", text: "Each agent callback has a synchronous variant.", decided: "One type: a callback may answer at the same time or with a promise." },
  { id: "callbacks:context:event-actions", line: 244, status: "verified", text: "The callback context gives the event actions.", names: ["eventActions"] },
  { id: "callbacks:context:event-id", line: 244, status: "verified", text: "The callback context gives the event's id.", names: ["eventId"] },
  { id: "callbacks:context:list-artifacts", line: 244, status: "verified", text: "The callback context lists artifacts.", names: ["listArtifacts"] },
  { id: "callbacks:chain", line: 231, status: "verified", text: "What several callbacks of one kind do is left open.", decided: "They run in order; the first that answers ends the chain. Plugins come before the agent's own." },
  { id: "callbacks:short-circuit:before-agent", line: 233, status: "verified", text: "What an answer before the agent does is left open.", decided: "It becomes the agent's event and the agent does not run." },
  { id: "callbacks:short-circuit:before-model", line: 234, status: "verified", text: "What an answer before the model does is left open.", decided: "It stands for the model's response, which is not asked; callbacks after the model do not run." },
  { id: "callbacks:short-circuit:before-tool", line: 237, status: "verified", text: "What an answer before a tool does is left open.", decided: "It stands for the tool's result and the tool does not run." },
];
