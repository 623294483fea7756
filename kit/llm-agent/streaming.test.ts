import { describe, expect, it } from "vitest";
import { StreamingMode } from "#kit/core/context/run-config.ts";
import { modelContent, type Part, textOf } from "#kit/events/content.ts";
import { type Event, finalResponse } from "#kit/events/event.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import { functionCallResponse, ScriptedModel, streamedText } from "#kit/testing/scripted-model.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { LlmAgent } from "./llm-agent.ts";

const SSE = { streamingMode: StreamingMode.SSE };

const chunk = (...parts: readonly Part[]): LlmResponse => ({ content: { role: "model", parts }, partial: true });
const whole = (...parts: readonly Part[]): LlmResponse => ({ content: { role: "model", parts } });

/** Event ids, each once, in the order of their first event. */
const idsOf = (events: readonly Event[]): readonly string[] => [...new Set(events.map(({ id }) => id))];

describe("streaming", () => {
  it("shows the text twice in a form that readers can distinguish: chunks bear the id of the complete event (duplicate text)", async () => {
    const world = await createAgentWorld(
      new LlmAgent({ name: "helper", model: new ScriptedModel([streamedText("Hel", "lo")]) }),
    );
    const events = await world.run("hi", SSE);
    expect(events.map(brief)).toEqual(["helper~: Hel", "helper~: lo", "helper: Hello"]);
    expect(idsOf(events)).toHaveLength(1);
    const chunks = events.filter(({ partial }) => partial === true);
    expect(chunks.map(({ content }) => textOf(content)).join("")).toBe(textOf(events.at(-1)?.content));
    expect((await world.session()).events.map(brief)).toEqual(["user: hi", "helper: Hello"]);
  });

  it("distinguishes text before a tool call from the answer: its complete event is not a final response (intermediate text)", async () => {
    const call: Part = { functionCall: { id: "c1", name: "look", args: {} } };
    const look = new FunctionTool({ name: "look", description: "Looks.", execute: () => "seen" });
    const model = new ScriptedModel([
      [chunk({ text: "Let me look." }), chunk(call), whole({ text: "Let me look." }, call)],
      streamedText("It ", "is red."),
    ]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model, tools: [look] }));
    const events = await world.run("colour?", SSE);
    const complete = events.filter(({ partial }) => partial !== true);
    expect(complete.map(finalResponse)).toEqual([false, false, true]);
    const [intermediate, , answer] = complete;
    expect(events.filter(({ id }) => id === intermediate?.id).map(brief)).toEqual([
      "helper~: Let me look.",
      "helper~: look({})",
      "helper: Let me look. | look({})",
    ]);
    expect(events.filter(({ id }) => id === answer?.id).map(brief)).toEqual([
      "helper~: It ",
      "helper~: is red.",
      "helper: It is red.",
    ]);
  });

  it("runs and stores a call once that comes both in a chunk and complete (calls dropped or doubled)", async () => {
    let count = 0;
    const call: Part = { functionCall: { id: "c1", name: "look", args: {} } };
    const look = new FunctionTool({ name: "look", description: "Looks.", execute: () => (count += 1) });
    const model = new ScriptedModel([[chunk(call), whole(call)], "done"]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model, tools: [look] }));
    await world.run("go", SSE);
    expect(count).toBe(1);
    expect((await world.session()).events.map(brief)).toEqual([
      "user: go",
      "helper: look({})",
      'helper: look -> {"result":1}',
      "helper: done",
    ]);
  });

  it("keeps a replaced chunk partial (a replaced response loses its partial flag)", async () => {
    const helper = new LlmAgent({
      name: "helper",
      model: new ScriptedModel([streamedText("Hel", "lo")]),
      afterModelCallback: (_context, response) => ({ content: modelContent(textOf(response.content).toUpperCase()) }),
    });
    const world = await createAgentWorld(helper);
    expect((await world.run("hi", SSE)).map(brief)).toEqual(["helper~: HEL", "helper~: LO", "helper: HELLO"]);
    expect((await world.session()).events.map(brief)).toEqual(["user: hi", "helper: HELLO"]);
  });

  it("stores a readable event when the model fails in mid-stream, no chunks, and accepts the next message", async () => {
    const model = new ScriptedModel([[chunk({ text: "Hel" }), new Error("wire cut")], "back"]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model }));
    const seen: string[] = [];
    const run = world.runner.runAsync({
      userId: "ada",
      sessionId: "talk",
      newMessage: { role: "user", parts: [{ text: "hi" }] },
      runConfig: SSE,
    });
    await expect(
      (async () => {
        for await (const event of run) seen.push(brief(event));
      })(),
    ).rejects.toThrow("wire cut");
    expect(seen).toEqual(["helper~: Hel", "helper: ! INTERNAL: Error: wire cut"]);
    expect((await world.run("again", SSE)).map(brief)).toEqual(["helper: back"]);
    expect((await world.session()).events.map(brief)).toEqual([
      "user: hi",
      "helper: ! INTERNAL: Error: wire cut",
      "user: again",
      "helper: back",
    ]);
  });

  it("sends every signature back after several tools, in parallel and one after the other (missing thought signature)", async () => {
    const call = (id: string, thoughtSignature?: string): Part => ({
      functionCall: { id, name: "look", args: {} },
      ...(thoughtSignature !== undefined && { thoughtSignature }),
    });
    const look = new FunctionTool({ name: "look", description: "Looks.", execute: () => "seen" });
    const model = new ScriptedModel([
      whole({ text: "hm", thought: true }, call("1", "s1"), call("2")),
      { ...functionCallResponse("look", {}, "3"), ...whole(call("3", "s3")) },
      whole({ text: "done", thoughtSignature: "s4" }),
      "bye",
    ]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model, tools: [look] }));
    await world.run("go");
    await world.run("and?");
    const signatures = model.requests.map(({ contents }) =>
      contents.flatMap(({ parts = [] }) => parts.flatMap(({ thoughtSignature }) => thoughtSignature ?? [])),
    );
    expect(signatures).toEqual([[], ["s1"], ["s1", "s3"], ["s1", "s3", "s4"]]);
  });
});
