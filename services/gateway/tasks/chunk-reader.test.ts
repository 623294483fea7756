import { expect, it } from "vitest";
import type { Part } from "#kit/events/content.ts";
import { createEvent } from "#kit/events/event.ts";
import { toEventJson } from "#kit/events/event-record.ts";
import { ChunkReader } from "./chunk-reader.ts";

function chunk(parts: readonly Part[], more: { readonly id?: string; readonly timestamp?: number } = {}): string {
  const { id = "e-1", timestamp = 1_795_935_314_228 } = more;
  const event = { id, timestamp, invocationId: "i", author: "a", partial: true, content: { role: "model", parts } };
  return toEventJson(createEvent(event));
}

it.each([
  ["texts", [chunk([{ text: "one" }]), chunk([{ text: " two" }], { timestamp: 1_795_935_314_229 })]],
  ["escaped texts", [chunk([{ text: "a\n" }]), chunk([{ text: "\n\\ é \u2028" }]), chunk([{ text: 'a "quote"' }])]],
  ["empty texts", [chunk([{ text: "" }]), chunk([{ text: "" }])]],
  ["two parts", [chunk([{ text: "one" }]), chunk([{ text: "one" }, { text: "two" }]), chunk([{ text: "three" }])]],
  ["thoughts", [chunk([{ text: "one" }]), chunk([{ text: "two", thought: true }]), chunk([{ text: "three" }])]],
  ["other events", [chunk([{ text: "one" }]), chunk([{ text: "two" }], { id: "e-2" })]],
  ["texts that look like JSON", [chunk([{ text: '"}]},"actions":{' }]), chunk([{ text: ',"timestamp":1' }])]],
  ["calls", [chunk([{ functionCall: { id: "c", name: "f", args: {} } }]), chunk([{ text: "one" }])]],
])("reads %s as a parser does", (_, jsons) => {
  const reader = new ChunkReader();
  for (const json of [...jsons, ...jsons]) expect(reader.read(json)).toEqual(JSON.parse(json));
});
