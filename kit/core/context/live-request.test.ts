import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { liveRequestFromJson } from "./live-request.ts";

describe("liveRequestFromJson", () => {
  it("reads content, a blob and `close`", () => {
    verifies("server-objects:live-request:json", "server-objects:field-types:live-request");
    const content = { role: "user", parts: [{ text: "hi" }] };
    const read = [
      { content },
      { blob: { mimeType: "audio/pcm", data: "-_-_YQ" } },
      { close: true },
      { content: null, close: false, unknown: 1 },
    ].map((message) => liveRequestFromJson(JSON.stringify(message)));
    expect(read).toEqual([
      { content },
      { blob: { mimeType: "audio/pcm", data: "+/+/YQ==" } },
      { close: true },
      { close: false },
    ]);
  });

  it("reads snake_case too, and leaves the keys of arguments and responses as they are", () => {
    verifies("server-objects:live-request:json");
    const response = { id: "c", name: "add", response: { some_sum: 3 } };
    const read = [
      { blob: { mime_type: "audio/pcm", data: "AAAA" } },
      { content: { role: "user", parts: [{ function_response: response }] } },
    ].map((message) => liveRequestFromJson(JSON.stringify(message)));
    expect(read).toEqual([
      { blob: { mimeType: "audio/pcm", data: "AAAA" } },
      { content: { role: "user", parts: [{ functionResponse: response }] } },
    ]);
  });

  it.each([
    ["hello", "MALFORMED_JSON", "The live request is not valid JSON."],
    ["[]", "INVALID_FIELD", "the value must be an object."],
    ['{"close":"yes"}', "INVALID_FIELD", "close must be a boolean."],
    ['{"content":{"parts":[{"text":5}]}}', "INVALID_FIELD", "content.parts[0].text must be a string."],
    ['{"blob":{"mimeType":"a/b"}}', "INVALID_FIELD", "blob.data is missing."],
    ['{"blob":{"data":"a b!"}}', "INVALID_FIELD", "blob.data must be base64 without spaces or line breaks."],
  ])("refuses %s", (json, reason, message) => {
    expect(() => liveRequestFromJson(json)).toThrowError(expect.objectContaining({ reason, message }));
  });
});
