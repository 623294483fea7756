import { describe, expect, it } from "vitest";
import { ModelError } from "#kit/models/error-mapper.ts";
import { describeFailure } from "#kit/models/provider-failure.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { throwFailure } from "./answer-failure.ts";
import { answerValues } from "./answer-values.ts";

/** The values of an answer whose body comes in whole lines. */
async function valuesOf(body: string): Promise<readonly JsonValue[]> {
  const lines = body.split(/(?<=\n\n)/).map((block) => new TextEncoder().encode(block));
  return Array.fromAsync(answerValues(new Response(ReadableStream.from(lines))));
}

const A = { a: 1 };
const B = { b: [2] };
const [JSON_A, JSON_B] = [JSON.stringify(A), JSON.stringify(B)];

describe("the values of an answer", () => {
  it.each([
    ["events", `data: ${JSON_A}\n\ndata: ${JSON_B}\n\n`],
    [
      "events with names, ids, comments and nothing",
      `: hi\nid: 1\nevent: x\ndata:${JSON_A}\n\ndata:\n\ndata: ${JSON_B}\n\n`,
    ],
    ["events without empty lines", `data: ${JSON_A}\ndata: ${JSON_B}\n`],
    ["an event over several lines", `data: {\ndata: "a": 1}\n\ndata: ${JSON_B}`],
    ["lines", `${JSON_A}\n${JSON_B}\n`],
    ["a list in one line", `[${JSON_A},${JSON_B}]`],
    ["a list over several lines", JSON.stringify([A, B], undefined, 2)],
    ["a list with empty lines", `[\n${JSON_A},\n\n${JSON_B}]\n`],
    ["a list in an event", `data: [${JSON_A},${JSON_B}]\n\n`],
    ["lines behind a byte order mark", `\ufeff${JSON_A}\n\n${JSON_B}`],
  ])("are read of %s", async (_, body) => {
    verifies("records:model-answers:dialects");
    expect(await valuesOf(body)).toEqual([A, B]);
  });

  it.each(["<html><body>Sign in</body></html>", "upstream connect error", "{"])("are not read of %s", async (body) => {
    verifies("records:model-answers:dialects");
    const failure: unknown = await valuesOf(body).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ModelError);
    expect(failure).toMatchObject({ logDetail: body, retryable: true });
  });
});

describe("a failure in the place of an answer", () => {
  const failed = async (body: string): Promise<unknown> => {
    for (const value of await valuesOf(body)) {
      try {
        if (isJsonObject(value)) throwFailure(value, { isAnswer: false });
      } catch (error) {
        const { status, message } = describeFailure(error);
        return [status, message];
      }
    }
    return undefined;
  };
  const said = { code: 503, message: "Overloaded" };
  const forms: readonly (readonly [string, string])[] = [
    ["an error", JSON.stringify({ error: said })],
    ["an error in a list", JSON.stringify([{ error: said }])],
    ["an error in an event", `data: ${JSON.stringify({ error: said })}\n\n`],
    ["an event of errors", `event: error\ndata: ${JSON.stringify(said)}\n\n`],
    ["a field of errors", `error: ${JSON.stringify({ error: said })}\n\n`],
    ["an error as text", JSON.stringify({ error: "Overloaded" })],
    ["an object of errors", JSON.stringify({ object: "error", ...said })],
    ["an error of Claude", JSON.stringify({ type: "error", error: { type: "api_error", ...said } })],
    ["a message", JSON.stringify(said)],
    ["a detail", JSON.stringify({ detail: "Overloaded" })],
    ["a status", JSON.stringify({ choices: null, base_resp: { status_code: 1039, status_msg: "Overloaded" } })],
  ];

  it.each(forms)("is read of %s", async (_, body) => {
    verifies("records:model-answers:dialects");
    expect(await failed(body)).toEqual([503, "Overloaded"]);
  });

  it("is not what an answer says", () => {
    verifies("records:model-answers:dialects");
    const answers: readonly JsonObject[] = [
      { error: null },
      { error: "" },
      { message: "hi" },
      { base_resp: { status_code: 0 } },
    ];
    for (const answer of answers) expect(() => throwFailure(answer, { isAnswer: true })).not.toThrow();
  });
});
