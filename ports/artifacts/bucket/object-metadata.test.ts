import { describe, expect, it } from "vitest";
import type { Part } from "#kit/events/content.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { packObject, readRecord } from "./object-metadata.ts";

const SESSION = { appName: "app", userId: "user", id: "session" };

function pack(artifact: Part, customMetadata: JsonObject = {}) {
  return packObject({ session: SESSION, filename: "a", artifact, customMetadata }, 7, "save-1");
}

describe("an object's metadata", () => {
  it("is decoded as it was encoded, in ASCII", () => {
    const { record, attributes } = pack({ text: "x", partMetadata: { 日: "🙂\n" } }, { é: ["\u007f", null] });
    const { contentType, metadata } = attributes;
    expect(Object.values(metadata).join("")).toMatch(/^[\x20-\x7e]*$/);
    expect(readRecord({ name: "n", generation: "1", timeCreated: "", contentType, metadata }, (text) => text)).toEqual(
      record,
    );
  });

  it("does not let a MIME type into headers that cannot stand there, or that means a deleted version", () => {
    const types = ["a/b\r\nx-injected: 1", "ä/b", " ", "", "application/x-fairlead-deleted"];
    for (const mimeType of types) {
      const { record, attributes } = pack({ inlineData: { mimeType, data: "aGk=" } });
      expect([attributes.contentType, record.mimeType]).toEqual(["application/octet-stream", mimeType]);
    }
  });

  it("refuses more than an object holds", () => {
    expect(() => pack({ text: "x" }, { note: "n".repeat(8192) })).toThrow(
      expect.objectContaining({ reason: "INVALID_FIELD", details: { field: "customMetadata" } }),
    );
    expect(pack({ text: "x" }, { note: "n".repeat(7000) }).record.customMetadata).toEqual({ note: "n".repeat(7000) });
  });
});
