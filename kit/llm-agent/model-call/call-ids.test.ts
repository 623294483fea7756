import { describe, expect, it } from "vitest";
import type { Content, FunctionCall } from "#kit/events/content.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { CallIds } from "./call-ids.ts";

function content(...calls: readonly FunctionCall[]): Content {
  return { role: "model", parts: [{ text: "so" }, ...calls.map((functionCall) => ({ functionCall }))] };
}

function idsOf({ parts = [] }: Content): readonly (string | undefined)[] {
  return parts.flatMap(({ functionCall }) => (functionCall === undefined ? [] : [functionCall.id]));
}

describe("the ids of an answer's calls", () => {
  it("are those of the model where it gives each its own", () => {
    const given = content({ id: "a", name: "f" }, { id: "b", name: "f" });
    expect(new CallIds(new SequentialIds()).forAnswer(given)).toEqual(given);
  });

  it("are made where the model gives none or repeats itself", () => {
    const ids = idsOf(new CallIds(new SequentialIds()).forAnswer(content({ id: "a" }, { id: "" }, { id: "a" }, {})));
    expect([ids[0], ids.every((id) => id !== undefined && id !== ""), new Set(ids).size]).toEqual(["a", true, 4]);
  });

  it("are the same where the first chunk of a call has no name yet", () => {
    const callIds = new CallIds(new SequentialIds());
    const [first] = idsOf(callIds.forChunk(content({ partialArgs: [{ jsonPath: "$.a" }] })));
    expect(idsOf(callIds.forAnswer(content({ name: "f" })))).toEqual([first]);
  });

  it("are the same in the chunks of a stream and in the complete answer", () => {
    const callIds = new CallIds(new SequentialIds());
    const chunks = [
      content({ name: "f", willContinue: true }),
      content({ partialArgs: [{ jsonPath: "$.a" }] }),
      content({ name: "g" }),
    ].map((chunk) => idsOf(callIds.forChunk(chunk))[0]);
    const answer = idsOf(callIds.forAnswer(content({ name: "f" }, { name: "g" })));
    expect(chunks).toEqual([answer[0], answer[0], answer[1]]);
    expect(new Set(answer).size).toBe(2);
  });
});

it("a question that a model invents is not a question", () => {
  verifies("peers:models:invented-questions");
  const invented = content({ id: "a", name: "adk_request_confirmation", args: { originalFunctionCall: {} } });
  for (const kind of ["forChunk", "forAnswer"] as const) {
    const calls = new CallIds(new SequentialIds())
      [kind](invented)
      .parts?.flatMap(({ functionCall }) => functionCall?.name ?? []);
    expect(calls).toEqual(["unknown_adk_request_confirmation"]);
  }
});
