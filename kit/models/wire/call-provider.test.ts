import { describe, expect, it } from "vitest";
import { ModelError } from "#kit/models/error-mapper.ts";
import { LlmRequest } from "#kit/models/llm-request.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import type { StreamChunk } from "#kit/models/stream-aggregator.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { AdapterProperties } from "./adapter-properties.ts";
import { callProvider } from "./call-provider.ts";
import { providerRules } from "./provider-rules.ts";

type Step = StreamChunk | Error;

const names = { provider: "The provider", keySource: "its key" };
const properties = new AdapterProperties("new Model", {});
const text = (said: string): StreamChunk => ({ content: { role: "model", parts: [{ text: said }] } });
const thought: StreamChunk = {
  content: { role: "model", parts: [{ text: "hm", thought: true, thoughtSignature: "s" }] },
};
const end: StreamChunk = { finishReason: "STOP" };
const invalid: StreamChunk = { finishReason: "MALFORMED_FUNCTION_CALL" };
const overload = new ModelError("SERVER_ERROR", "Overloaded");
const lost = Object.assign(new TypeError("terminated"), {
  cause: Object.assign(new Error("x"), { code: "ECONNRESET" }),
});

/** Calls a provider whose attempts are given, each as what its stream does. */
async function call(attempts: readonly (readonly Step[])[], stream: boolean) {
  const left = [...attempts];
  let requests = 0;
  const open = async () => {
    requests += 1;
    return (async function* () {
      for (const step of left.shift() ?? expect.unreachable("one attempt too many")) {
        if (step instanceof Error) throw step;
        yield step;
      }
    })();
  };
  const request = new LlmRequest({ model: "m" });
  const rules = () => providerRules("openai-compatible", "m");
  const options = { stream, signal: new AbortController().signal };
  const responses: LlmResponse[] = [];
  let failure: unknown;
  try {
    for await (const one of callProvider({ request, rules, open, names, properties }, options, {
      sleep: async () => undefined,
    }))
      responses.push(one);
  } catch (error) {
    failure = error;
  }
  return { responses, failure, requests, last: responses.at(-1) };
}

describe("callProvider", () => {
  it.each([
    ["an overload", [overload]],
    ["a lost connection", [lost]],
    ["an overload behind an empty chunk", [text(""), overload]],
    ["an empty stream", []],
    ["an end without an answer", [end]],
    ["an invalid call", [invalid]],
    ["an invalid call behind thoughts", [thought, invalid]],
  ])("repeats %s within a stream, as nothing was shown", async (_, failed) => {
    verifies("providers:retry:until-shown");
    for (const stream of [true, false]) {
      const { requests, failure, last } = await call([failed, [text("Hello."), end]], stream);
      expect({ requests, failure, said: last?.content?.parts }).toEqual({
        ...{ requests: 2, failure: undefined, said: [{ text: "Hello." }] },
      });
    }
  });

  it("repeats nothing once a text was shown, and does where the caller sees whole answers only", async () => {
    verifies("providers:retry:until-shown");
    const shown = await call([[text("Hel"), overload]], true);
    expect(shown).toMatchObject({ requests: 1, failure: { category: "SERVER_ERROR" } });
    expect(
      (
        await call(
          [
            [text("Hel"), overload],
            [text("Hello."), end],
          ],
          false,
        )
      ).last,
    ).toMatchObject({
      content: { parts: [{ text: "Hello." }] },
    });
  });

  it("ends after the attempts that its settings allow", async () => {
    const { requests, failure } = await call(
      Array.from({ length: 9 }, () => [overload]),
      true,
    );
    expect(failure).toMatchObject({ category: "SERVER_ERROR" });
    expect(requests).toBe(3);
  });

  it("keeps no part without data of a failed answer", async () => {
    verifies("providers:retry:failed-answers");
    const bare: StreamChunk = { content: { role: "model", parts: [{ thoughtSignature: "s" }] } };
    const { last } = await call(
      [
        [bare, invalid],
        [bare, invalid],
      ],
      false,
    );
    expect(last?.errorCode).toBe("MALFORMED_FUNCTION_CALL");
    expect(last?.content).toBeUndefined();
  });
});

it.each([
  ["its reader stops", true],
  ["its answer is complete", false],
])("aborts the request when %s", async (_title, stops) => {
  const signals: AbortSignal[] = [];
  const open = async (_request: unknown, signal: AbortSignal) => {
    signals.push(signal);
    return (async function* () {
      yield* [text("a"), text("b"), end];
    })();
  };
  const request = new LlmRequest({ model: "m" });
  const rules = () => providerRules("openai-compatible", "m");
  const { signal } = new AbortController();
  for await (const _ of callProvider({ request, rules, open, names, properties }, { stream: true, signal }, {})) {
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    if (stops) break;
  }
  expect([signals.map(({ aborted }) => aborted), signal.aborted]).toEqual([[true], false]);
});
