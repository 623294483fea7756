import { describe, expect, it } from "vitest";
import { CallSecrets } from "#kit/errors/call-secrets.ts";
import { restResult } from "./rest-result.ts";

const TOKEN = "secret-token/1+";

/** What a model gets of an answer to a request with the token. */
async function resultOf(body: string | null, { type = "application/json", status = 200 } = {}) {
  let isCancelled = false;
  const stream = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        if (body !== null && body !== "") controller.enqueue(Buffer.from(body));
        controller.close();
      },
      cancel: () => {
        isCancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  const secrets = new CallSecrets();
  secrets.add(TOKEN);
  const result = await restResult(
    new Response(stream, { status, headers: type === "" ? {} : { "content-type": type } }),
    secrets,
  );
  return { result, isCancelled };
}

describe("the result of a call", () => {
  it.each<[string, string, string, object]>([
    ["JSON", "application/json", '{"a":[1]}', { a: [1] }],
    ["JSON of another type", "application/problem+json; charset=utf-8", '{"a":1}', { a: 1 }],
    ["JSON that is broken", "application/json", "{", { text: "{" }],
    ["null", "application/json", "null", { text: "null" }],
    ["text", "text/plain", '{"a":1}', { text: '{"a":1}' }],
    ["text in capitals", "TEXT/CSV", "a,b", { text: "a,b" }],
    ["XML", "application/atom+xml", "<a/>", { text: "<a/>" }],
    ["XML too", "application/xml", "<a/>", { text: "<a/>" }],
    ["an answer without a type", "", "hi", { text: "hi" }],
    ["an empty answer", "application/json", "", { status: 200 }],
  ])("is %s", async (_title, type, body, result) => {
    expect(await resultOf(body, { type })).toEqual({ result, isCancelled: false });
  });

  it.each([
    [200, { status: 200, note: "The answer has the media type image/png and was not read." }],
    [404, { error: expect.stringContaining("HTTP status 404: no text") }],
  ])("is no binary data, whose connection is freed (status %i)", async (status, result) => {
    expect(await resultOf("\u0000", { type: "image/png", status })).toEqual({ result, isCancelled: true });
  });

  it("has 100,000 characters at most, and says how many there were", async () => {
    const text = "x".repeat(100_000);
    expect((await resultOf(text, { type: "text/plain" })).result).toEqual({ text });
    const longer = await resultOf(`${text}y`, { type: "text/plain" });
    expect(longer.result).toEqual({ text, truncated: true, characters: 100_001 });
  });

  it.each([400, 404, 500])("is the refusal with status %i, of which 2,000 characters are quoted", async (status) => {
    const said = "x".repeat(2000);
    const { result } = await resultOf(`${said}y`, { type: "text/plain", status });
    expect(result).toEqual({ error: expect.stringContaining(`HTTP status ${status}: ${said}\nCorrect`) });
  });

  it.each([
    [JSON.stringify({ a: TOKEN, [TOKEN]: 1 }), { a: "[redacted]", "[redacted]": 1 }],
    ['{"a":"secret-token\\/1\\u002b"}', { a: "[redacted]" }],
    ['{"a":"b\\/c"}', { a: "b/c" }],
    [`broken ${TOKEN}`, { text: "broken [redacted]" }],
  ])("does not have the secrets of the request: %s", async (body, result) => {
    expect((await resultOf(body)).result).toEqual(result);
  });
});
