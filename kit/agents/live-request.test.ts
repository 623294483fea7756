import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { liveRequestFromJson } from "./live-request.ts";

describe("liveRequestFromJson", () => {
  it("reads content, a blob and the wish to close", () => {
    verifies(
      "server-objects:live-request:json",
      "server-objects:live-request:content",
      "server-objects:live-request:blob",
      "server-objects:live-request:close",
      "server-objects:field-types:live-request",
    );
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

  it.each([
    ["hello", "MALFORMED_JSON", "The live request is not valid JSON."],
    ["[]", "INVALID_FIELD", "the value must be an object."],
    ['{"close":"yes"}', "INVALID_FIELD", "close must be a boolean."],
    ['{"content":{"parts":[{"text":5}]}}', "INVALID_FIELD", "content.parts.0.text must be a string."],
    ['{"blob":{"mimeType":"a/b"}}', "INVALID_FIELD", "blob.data is missing."],
    ['{"blob":{"data":"a b!"}}', "INVALID_FIELD", "blob.data must be base64 without spaces or line breaks."],
  ])("refuses %s", (json, reason, message) => {
    expect(() => liveRequestFromJson(json)).toThrowError(expect.objectContaining({ reason, message }));
  });
});
