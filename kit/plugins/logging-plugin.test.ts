import { describe, expect, it } from "vitest";
import { CallbackContext } from "#kit/core/context/callback-context.ts";
import { ToolContext } from "#kit/core/context/tool-context.ts";
import { RecordingLogger } from "#test/helpers/worlds/agents-folder.ts";
import { createInvocation } from "#test/helpers/worlds/invocation.ts";
import { modelContent } from "../events/content.ts";
import { createEvent, type EventInput } from "../events/event.ts";
import { LlmRequest } from "../models/llm-request.ts";
import { FunctionTool } from "../tools/function-tool.ts";
import { LoggingPlugin } from "./logging-plugin.ts";

const RUN = { sessionId: "s", invocationId: "i" };
const tool = new FunctionTool({ name: "look", description: "Looks.", execute: () => 1 });
const error = new Error("no");

/** Calls the plugin's methods outside any run; `lines` are the fields and texts of what it wrote. */
function createPlugin(content = false) {
  const logger = new RecordingLogger();
  const invocation = createInvocation({ logger });
  const plugin = new LoggingPlugin({ content });
  const context = new CallbackContext(invocation);
  const lines = () => logger.lines.map(({ message, fields }) => [message, fields]);
  return { plugin, invocation, context, toolContext: new ToolContext(invocation, { functionCallId: "c" }), lines };
}

const event = (fields: Partial<EventInput>) =>
  createEvent({ id: "e", invocationId: "i", author: "helper", timestamp: 0, ...fields });

describe("LoggingPlugin", () => {
  it("writes events and answers with their errors, but not their chunks", () => {
    const { plugin, invocation, context, lines } = createPlugin();
    plugin.onEventCallback(invocation, event({ partial: true }));
    plugin.onEventCallback(invocation, event({ content: modelContent("secret") }));
    plugin.onEventCallback(invocation, event({ errorCode: "SAFETY" }));
    plugin.afterModelCallback(context, { partial: true });
    plugin.afterModelCallback(context, { content: modelContent("secret") });
    plugin.afterModelCallback(context, {
      errorCode: "SAFETY",
      finishReason: "SAFETY",
      usageMetadata: { totalTokenCount: 9 },
    });
    const said = { ...RUN, eventId: "e", author: "helper" };
    const answered = { ...RUN, agentName: "helper" };
    expect(lines()).toEqual([
      ["event", said],
      ["event", { ...said, errorCode: "SAFETY" }],
      ["model answer", answered],
      ["model answer", { ...answered, finishReason: "SAFETY", errorCode: "SAFETY", totalTokens: 9 }],
    ]);
  });

  it("writes why a run, a model or a tool failed", () => {
    const { plugin, invocation, context, toolContext, lines } = createPlugin();
    plugin.afterRunCallback(invocation, { status: "succeeded" });
    plugin.afterRunCallback(invocation, {
      status: "failed",
      error: { code: "internal", reason: "INTERNAL", message: "no" },
    });
    plugin.onRunErrorCallback(invocation, error);
    plugin.onModelErrorCallback(context, new LlmRequest({ model: "m", contents: [] }), error);
    plugin.onToolErrorCallback(tool, {}, toolContext, error);
    expect(lines()).toEqual([
      ["run ends", { ...RUN, status: "succeeded" }],
      ["run ends", { ...RUN, status: "failed", reason: "INTERNAL" }],
      ["run failed", { ...RUN, error }],
      ["model failed", { ...RUN, agentName: "helper", model: "m", error }],
      ["tool failed", { ...RUN, agentName: "helper", tool: "look", callId: "c", error }],
    ]);
  });

  it("writes arguments and results if `content` is set, cut after 200 characters", () => {
    const { plugin, invocation, toolContext, lines } = createPlugin(true);
    plugin.beforeToolCallback(tool, { at: 1 }, toolContext);
    plugin.afterToolCallback(tool, {}, toolContext, { sky: "x".repeat(190) });
    plugin.afterToolCallback(tool, {}, toolContext, { sky: "x".repeat(191) });
    plugin.onEventCallback(invocation, event({}));
    const call = { ...RUN, agentName: "helper", tool: "look", callId: "c" };
    expect(lines()).toEqual([
      ["tool starts", { ...call, args: '{"at":1}' }],
      ["tool ends", { ...call, result: `{"sky":"${"x".repeat(190)}"}` }],
      ["tool ends", { ...call, result: `{"sky":"${"x".repeat(191)}"…` }],
      ["event", { ...RUN, eventId: "e", author: "helper" }],
    ]);
  });
});
