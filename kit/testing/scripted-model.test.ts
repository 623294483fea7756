import { describe, expect, it } from "vitest";
import { modelContent, userContent } from "../events/content.ts";
import type { BaseLlm } from "../models/base-llm.ts";
import { LlmRequest } from "../models/llm-request.ts";
import type { LlmResponse } from "../models/llm-response.ts";
import { functionCallResponse, ScriptedModel, streamedText } from "./scripted-model.ts";

const request = (text = "Hi"): LlmRequest => new LlmRequest({ model: "scripted", contents: [userContent(text)] });

async function call(
  model: BaseLlm,
  { stream = true, signal = new AbortController().signal } = {},
): Promise<readonly LlmResponse[]> {
  return Array.fromAsync(model.generateContentAsync(request(), { stream, signal }));
}

describe("ScriptedModel", () => {
  it("answers each call with the next step: a text, a response, a stream, or the result of a function", async () => {
    const model = new ScriptedModel([
      "Hello",
      functionCallResponse("f", { a: 1 }, "c1"),
      streamedText("a", "b"),
      ({ contents }) => `${contents.length} contents`,
    ]);
    expect([await call(model), await call(model), await call(model), await call(model)]).toEqual([
      [{ content: modelContent("Hello") }],
      [{ content: { role: "model", parts: [{ functionCall: { name: "f", args: { a: 1 }, id: "c1" } }] } }],
      [
        { content: modelContent("a"), partial: true },
        { content: modelContent("b"), partial: true },
        { content: modelContent("ab") },
      ],
      [{ content: modelContent("1 contents") }],
    ]);
  });

  it("gives no chunks to a call that does not stream", async () => {
    expect(await call(new ScriptedModel([streamedText("a", "b")]), { stream: false })).toEqual([
      { content: modelContent("ab") },
    ]);
  });

  it("throws an error that is a step, or that comes after chunks", async () => {
    const first = new Error("first");
    const later = new Error("later");
    const model = new ScriptedModel([first, [{ content: modelContent("a"), partial: true }, later]]);
    await expect(call(model)).rejects.toBe(first);
    const answers = model
      .generateContentAsync(request(), { stream: true, signal: new AbortController().signal })
      [Symbol.asyncIterator]();
    expect((await answers.next()).value).toEqual({ content: modelContent("a"), partial: true });
    await expect(answers.next()).rejects.toBe(later);
  });

  it("fails when it is called more often than it has steps, or repeats the last if asked to", async () => {
    await expect(call(new ScriptedModel([]))).rejects.toThrow("ScriptedModel has 0 steps and was called 1 times.");
    const repeating = new ScriptedModel(["a", "b"], { repeatLast: true });
    await call(repeating);
    await call(repeating);
    expect([await call(repeating), repeating.callCount]).toEqual([[{ content: modelContent("b") }], 3]);
  });

  it("records each request unchanged by later modifications", async () => {
    const model = new ScriptedModel(["a"]);
    const asked = request("before");
    asked.appendInstructions("Be brief.");
    await Array.fromAsync(model.generateContentAsync(asked, { stream: false, signal: new AbortController().signal }));
    asked.contents.push(userContent("after"));
    expect(model.requests).toEqual([
      {
        model: "scripted",
        contents: [userContent("before")],
        config: {},
        systemInstruction: "Be brief.",
        functionDeclarations: [],
        stream: false,
      },
    ]);
  });

  it("waits for a gate in the middle of a stream", async () => {
    const gate = Promise.withResolvers<void>();
    const model = new ScriptedModel([
      [{ content: modelContent("a"), partial: true }, gate.promise, { content: modelContent("ab") }],
    ]);
    const answers = model
      .generateContentAsync(request(), { stream: true, signal: new AbortController().signal })
      [Symbol.asyncIterator]();
    await answers.next();
    const next = answers.next();
    let answered = false;
    const seen = next.then(() => {
      answered = true;
    });
    await Promise.resolve();
    expect(answered).toBe(false);
    gate.resolve();
    await seen;
    expect((await next).value).toEqual({ content: modelContent("ab") });
  });

  it("stops waiting for a gate when the call is aborted", async () => {
    const controller = new AbortController();
    const reason = new Error("stop");
    const model = new ScriptedModel([[new Promise(() => {})]]);
    const responses = call(model, { signal: controller.signal });
    controller.abort(reason);
    await expect(responses).rejects.toBe(reason);
  });
});
