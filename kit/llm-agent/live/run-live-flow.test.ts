import { describe, expect, it } from "vitest";
import { LiveRequestQueue } from "#kit/core/context/live-request-queue.ts";
import { modelContent, userContent } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { LiveTurn } from "#kit/testing/scripted-connection.ts";
import { functionCallResponse, ScriptedModel } from "#kit/testing/scripted-model.ts";
import { AuthenticatedFunctionTool } from "#kit/tools/authenticated-function-tool.ts";
import { FunctionTool, LongRunningFunctionTool } from "#kit/tools/function-tool.ts";
import { InMemoryCredentialService } from "#ports/credentials/in-memory-credential-service.ts";
import { credentialAnswer, credentialQuestion } from "#test/helpers/servers/credential-world.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { type AgentWorld, brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { createInvocation } from "#test/helpers/worlds/invocation.ts";
import { runLiveFlow } from "./run-live-flow.ts";

const done = { content: modelContent("done"), turnComplete: true };
const look = new FunctionTool({ name: "look", description: "Looks.", execute: () => "seen" });

function liveModel(...turns: readonly LiveTurn[]): ScriptedModel {
  return new ScriptedModel([], { live: turns });
}

/** Says one thing; ends at the first complete turn of the model. */
async function talk(world: AgentWorld, signal?: AbortSignal, content = userContent("go")): Promise<readonly Event[]> {
  const liveRequestQueue = new LiveRequestQueue();
  liveRequestQueue.sendContent(content);
  const request = { userId: "ada", sessionId: "talk", liveRequestQueue, ...(signal !== undefined && { signal }) };
  const events: Event[] = [];
  for await (const event of world.runner.runLive(request)) {
    events.push(event);
    if (event.turnComplete === true) liveRequestQueue.close();
  }
  return events;
}

const sentContents = (model: ScriptedModel) =>
  model.connections[0]?.sent.flatMap((sent) => (sent.kind === "content" ? [sent.content] : []));

describe("tools of a live run", () => {
  it("do not run for a call that is still streamed", async () => {
    const chunk = { ...functionCallResponse("look", {}, "c1"), partial: true };
    const model = liveModel([chunk, done]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model, tools: [look] }));
    expect((await talk(world)).map(brief)).toEqual(["helper~: look({})", "helper: done"]);
  });

  it("may answer later: the model is sent nothing for them", async () => {
    const job = new LongRunningFunctionTool({ name: "job", description: "Works.", execute: () => undefined });
    const model = liveModel([functionCallResponse("job", {}, "c1"), functionCallResponse("look", {}, "c2")], [done]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model, tools: [job, look] }));
    await talk(world);
    expect(sentContents(model)?.slice(1)).toEqual([
      { role: "user", parts: [{ functionResponse: { id: "c2", name: "look", response: { result: "seen" } } }] },
    ]);
  });

  it("may keep state without an answer, of which the model is sent nothing either", async () => {
    const execute: LongRunningFunctionTool["runAsync"] = async (_args, context) => context.state.set("ticket", 7);
    const job = new LongRunningFunctionTool({ name: "job", description: "Works.", execute });
    const model = liveModel([functionCallResponse("job", {}, "c1"), functionCallResponse("look", {}, "c2")], [done]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model, tools: [job, look] }));
    await talk(world);
    expect([sentContents(model)?.length, (await world.session()).state]).toEqual([2, { ticket: 7 }]);
  });

  it("may ask the user for consent; the question itself runs no tool", async () => {
    const pay = new FunctionTool({ name: "pay", description: "Pays.", requireConfirmation: true, execute: () => 1 });
    const model = liveModel([functionCallResponse("pay", {}, "c1")], [done]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model, tools: [pay] }));
    expect((await talk(world)).map((event) => brief(event).split(/[(]| ->/)[0])).toEqual([
      "helper: pay",
      "helper: pay",
      "helper: adk_request_confirmation",
      "helper: done",
    ]);
  });
});

describe("what the client of a live run sends", () => {
  it("becomes a stored event, but for answers to calls, also with words beside", async () => {
    const model = liveModel([done]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model }));
    const functionResponse = { id: "c1", name: "job", response: { ok: true } };
    const answer = { role: "user", parts: [{ text: "Here:" }, { functionResponse }] };
    await talk(world, undefined, answer);
    expect((await world.session()).events.map(brief)).toEqual(["helper: done"]);
    expect(sentContents(model)).toEqual([answer]);
  });

  it("is refused if it answers a request for a credential, which a run takes", async () => {
    verifies("tools:credentials:answers");
    const signIn = new AuthenticatedFunctionTool({
      name: "look",
      description: "Looks.",
      authConfig: { authScheme: { type: "apiKey", in: "header", name: "x-key" } },
      execute: (_args, _context, credential) => ("apiKey" in credential ? `with ${credential.apiKey}` : "without"),
    });
    const model = new ScriptedModel(["Done."], { live: [[functionCallResponse("look", {}, "c1")], [done], [done]] });
    const credentialService = new InMemoryCredentialService();
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model, tools: [signIn] }), {
      credentialService,
    });
    const question = credentialQuestion(await talk(world));
    const answer = credentialAnswer(question, { result: "SECRET-key" });
    const queue = new LiveRequestQueue();
    const refusal = { reason: "INVALID_MESSAGE", message: expect.stringContaining("send it as the message of a run") };
    expect(() => queue.sendContent(answer)).toThrow(expect.objectContaining(refusal));
    // The queue accepts others after it.
    queue.sendContent(userContent("go on"));
    for (const name of ["look", undefined]) {
      const response = { ...answer.parts?.[0]?.functionResponse, ...(name === undefined ? {} : { name }) };
      if (name === undefined) delete response.name;
      const misnamed = { role: "user", parts: [{ functionResponse: response }] };
      await expect(talk(world, undefined, misnamed)).rejects.toMatchObject({ details: { reason: "INVALID_MESSAGE" } });
    }
    expect(JSON.stringify([model.connections.map(({ sent }) => sent), await world.session()])).not.toContain("SECRET");

    const resumed = await world.run(answer);
    expect(resumed.map(brief)).toEqual(['helper: look -> {"result":"with SECRET-key"}', "helper: Done."]);
  });

  it("may be a content without parts", async () => {
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model: liveModel([done]) }));
    expect((await talk(world, undefined, { role: "user" })).map(brief)).toEqual(["helper: done"]);
    expect((await world.session()).events.map(brief)).toEqual(["user: ", "helper: done"]);
  });
});

describe("the end of a live run", () => {
  it("leaves the model, the reason and the tokens of all its answers on the span of the model's call", async () => {
    const usage = (promptTokenCount: number, candidatesTokenCount: number) => ({
      usageMetadata: {
        promptTokenCount,
        candidatesTokenCount,
        totalTokenCount: promptTokenCount + candidatesTokenCount,
      },
    });
    const answers = [{ ...usage(5, 2), modelVersion: "live-001" }, { ...usage(7, 3), finishReason: "STOP" }, done];
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model: liveModel(answers) }));
    await talk(world);
    expect(world.spans.find(({ name }) => name === "call_llm")?.attributes).toMatchObject({
      "gen_ai.response.model": "live-001",
      "gen_ai.response.finish_reasons": ["stop"],
      "gen_ai.usage.input_tokens": 12,
      "gen_ai.usage.output_tokens": 5,
    });
  });

  it("is on the span of the model's call, with its error if it failed", async () => {
    const failures: unknown[] = [];
    for (const turn of [[done], [new Error("line broke")]]) {
      const world = await createAgentWorld(new LlmAgent({ name: "helper", model: liveModel(turn) }));
      await talk(world).catch(() => undefined);
      failures.push(world.spans.filter(({ name }) => name === "call_llm").map(({ error }) => error));
    }
    expect(failures).toEqual([[undefined], ["Error: line broke"]]);
  });

  it("is not a failure of the model if the run was cancelled", async () => {
    const cancel = new AbortController();
    const errors: unknown[] = [];
    const agent = new LlmAgent({
      name: "helper",
      model: liveModel([done, new Error("aborted")]),
      afterModelCallback: () => cancel.abort(),
      onModelErrorCallback: (_context, _request, error) => void errors.push(error),
    });
    const run = talk(await createAgentWorld(agent), cancel.signal);
    await expect(run).rejects.toMatchObject({ details: { reason: "RUN_CANCELLED" } });
    expect(errors).toEqual([]);
  });

  it("comes before any connection if the run was aborted, or has no queue", async () => {
    const model = liveModel([done]);
    const agent = new LlmAgent({ name: "helper", model });
    const aborted = createInvocation({
      agent,
      liveRequestQueue: new LiveRequestQueue(),
      signal: AbortSignal.abort(new Error("aborted")),
    });
    await expect(Array.fromAsync(runLiveFlow(agent, aborted))).rejects.toThrow("aborted");
    await expect(Array.fromAsync(runLiveFlow(agent, createInvocation({ agent })))).rejects.toMatchObject({
      reason: "LIVE_NOT_SUPPORTED",
    });
    expect(model.connections).toEqual([]);
  });
});
