import { expect, it } from "vitest";
import type { BaseTool } from "#kit/core/base-tool.ts";
import { createEvent, type Event, functionResponses } from "#kit/events/event.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { executeTools } from "#kit/llm-agent/tool-calls/execute-tools.ts";
import { LlmRequest } from "#kit/models/llm-request.ts";
import { createInvocation } from "#test/helpers/worlds/invocation.ts";

it("answers a resumed call although an earlier call of the session had the same id", async () => {
  const agent = new LlmAgent({ name: "helper" });
  const context = createInvocation({ agent });
  const event = (id: string, part: object): Event =>
    createEvent({ id, invocationId: "i", author: "helper", timestamp: 0, content: { role: "model", parts: [part] } });
  const call = { functionCall: { id: "c1", name: "look", args: {} } };
  const response = { functionResponse: { id: "c1", name: "look", response: { result: "old" } } };
  const newest = event("3", call);
  context.session.events.push(event("1", call), event("2", response), newest);
  const step = { agent, context, request: new LlmRequest<BaseTool>({ model: "scripted", contents: [] }) };
  const events = await Array.fromAsync(executeTools(step, newest, { resumed: true }));
  expect(events.flatMap(functionResponses)).toEqual([
    { id: "c1", name: "look", response: { error: expect.stringContaining("whether it took effect is unknown") } },
  ]);
});
