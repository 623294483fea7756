import { expect, it } from "vitest";
import type { Content } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { functionCallResponse, ScriptedModel } from "#kit/testing/scripted-model.ts";
import { LongRunningFunctionTool } from "#kit/tools/function-tool.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { startServerWorld } from "#test/helpers/worlds/server-world.ts";

const answer = { id: "c", name: "job", response: {} };

it.each<[string, Content]>([
  ["without parts", { role: "user", parts: [] }],
  ["with an empty part", { role: "user", parts: [{}] }],
  ["of another role", { role: "model", parts: [{ text: "hi" }] }],
  ["with a call", { role: "user", parts: [{ functionCall: { name: "job", args: {} } }] }],
  ["that mixes an answer with text", { role: "user", parts: [{ functionResponse: answer }, { text: "and" }] }],
  [
    "with a reserved name",
    { role: "user", parts: [{ functionResponse: { ...answer, name: "adk_request_anything" } }] },
  ],
])("a message %s is refused over HTTP and not stored", async (_, newMessage) => {
  verifies("wire:run:message-validation");
  const model = new ScriptedModel([]);
  await using world = await startServerWorld({ agent: new LlmAgent({ name: "helper", model }) });
  for (const path of ["/run", "/run_sse", "/v1/runs"]) {
    const { status, text } = await world.send("POST", path, {
      appName: "app",
      userId: "ada",
      sessionId: "talk",
      newMessage,
    });
    expect([path, status, text]).toEqual([path, 400, expect.stringContaining("INVALID_MESSAGE")]);
  }
  expect([await world.stored(), model.callCount]).toEqual([[], 0]);
});

it("an answer to a call that the session does not have is refused over HTTP and not stored, as is one of another user", async () => {
  verifies("wire:run:unknown-calls");
  const model = new ScriptedModel([functionCallResponse("job", {}, "call-1"), "started"]);
  const job = new LongRunningFunctionTool({ name: "job", description: "Starts a job.", execute: () => ({ id: 1 }) });
  await using world = await startServerWorld({ agent: new LlmAgent({ name: "helper", model, tools: [job] }) });
  await world.say("go");
  await world.send("POST", "/apps/app/users/eve/sessions/talk");
  const before = await world.stored();
  const answered = (id: string, userId: string) => ({
    appName: "app",
    userId,
    sessionId: "talk",
    newMessage: { role: "user", parts: [{ functionResponse: { id, name: "job", response: {} } }] },
  });
  for (const path of ["/run", "/run_sse", "/v1/runs"]) {
    for (const body of [answered("call-2", "ada"), answered("call-1", "eve")]) {
      const { status, text } = await world.send("POST", path, body);
      expect([path, status, text]).toEqual([path, 400, expect.stringContaining("FUNCTION_CALL_UNKNOWN")]);
    }
  }
  expect([await world.stored(), model.callCount]).toEqual([before, 2]);
});
