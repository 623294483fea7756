import { describe, expect, it } from "vitest";
import { ReplayVerificationError } from "../errors/replay-errors.ts";
import { type Content, modelContent, userContent } from "../events/content.ts";
import type { LlmResponse } from "../models/llm-response.ts";
import type { JsonObject } from "../platform/json.ts";
import { ReplayCursor } from "./replay-cursor.ts";
import type { Recording } from "./replay-recordings.ts";

const cursor = (...recordings: readonly Recording[]) => new ReplayCursor(new Map([["desk", [...recordings]]]));
const asked = (responses: readonly LlmResponse[], contents: readonly Content[] = []): Recording => ({
  kind: "model",
  contents,
  responses,
});
const called = (name: string, args: JsonObject, response: JsonObject): Recording => ({
  kind: "tool",
  name,
  args,
  response,
});
const full = { content: modelContent("all of it") };
const first = { content: modelContent("first"), partial: true };
const chunk = { content: modelContent("some"), partial: true };

describe("answers of a model", () => {
  it.each<[string, LlmResponse, readonly LlmResponse[]]>([
    ["the complete one behind its chunks", full, [chunk, full]],
    ["the complete one before a chunk", full, [full, chunk]],
    ["the last chunk of an answer that was cut off", chunk, [first, first, chunk]],
  ])("are %s", (_name, answer, responses) => {
    const replayed = cursor(asked(responses));
    expect(replayed.nextAnswer("desk", [])).toEqual({ answer, isSame: true });
    expect(replayed.left).toBe(0);
  });

  it("end the replay when none was recorded, also of an agent without recordings", () => {
    const problem = (recordings: ReplayCursor, agentName: string) => () => recordings.nextAnswer(agentName, []);
    expect(problem(cursor(asked([])), "desk")).toThrow(
      new ReplayVerificationError('An answer of agent "desk" was not recorded.'),
    );
    expect(problem(cursor(), "other")).toThrow(
      new ReplayVerificationError('Agent "other" asked its model, which was not recorded.'),
    );
  });

  it("match a prompt that differs only in ids and signatures", () => {
    const call = (id: string, thoughtSignature: string, name: string): Content => ({
      role: "model",
      parts: [{ functionCall: { id, name, args: {} }, thoughtSignature }],
    });
    const isSame = (content: Content) =>
      cursor(asked([full], [call("a", "b", "look")])).nextAnswer("desk", [content]).isSame;
    expect([call("c", "b", "look"), call("a", "d", "look"), call("a", "b", "see")].map(isSame)).toEqual([
      true,
      true,
      false,
    ]);
    expect(cursor(asked([full])).nextAnswer("desk", [userContent("anything")]).isSame).toBe(true);
  });
});

describe("responses of tools", () => {
  it("are those of the name and the arguments, in any order", () => {
    const replayed = cursor(called("look", { at: 1 }, { sky: "a" }), called("see", { at: 1 }, { sky: "b" }));
    expect(replayed.nextResponse("desk", "see", { at: 1 })).toEqual({ sky: "b" });
    expect(replayed.nextResponse("desk", "look", { at: 1 })).toEqual({ sky: "a" });
  });

  it("are not taken from after the next call of the model", () => {
    const replayed = cursor(asked([full]), called("look", {}, {}));
    expect(() => replayed.nextResponse("desk", "look", {})).toThrow(
      new ReplayVerificationError('Agent "desk" called look({}); recorded was asking the model.'),
    );
  });

  it("end the replay when none was recorded; the error quotes 200 characters of the call", () => {
    const call = `look({"at":"${"x".repeat(188)}`;
    expect(call).toHaveLength(200);
    expect(() => cursor().nextResponse("desk", "look", { at: "x".repeat(500) })).toThrow(
      new ReplayVerificationError(`Agent "desk" called ${call}, which was not recorded.`),
    );
  });
});
