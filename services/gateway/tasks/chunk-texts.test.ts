import { StreamResponse } from "@a2a-js/sdk";
import { expect, it } from "vitest";
import type { Part } from "#kit/events/content.ts";
import { createEvent } from "#kit/events/event.ts";
import { eventFromJson } from "#kit/events/event-json.ts";
import { toEventJson } from "#kit/events/event-record.ts";
import { ChunkTexts } from "./chunk-texts.ts";
import { TaskUpdates } from "./task-updates.ts";

interface Chunk {
  readonly parts: readonly Part[];
  readonly id?: string;
  readonly author?: string;
  readonly timestamp?: number;
}

function chunk({ parts, id = "e-1", author = "a", timestamp = 1_795_935_314_228 }: Chunk): string {
  const content = { role: "model", parts };
  return toEventJson(createEvent({ id, timestamp, invocationId: "i", author, partial: true, content }));
}

const text = (value: string, more: Partial<Chunk> = {}) => chunk({ parts: [{ text: value }], ...more });

it.each([
  ["texts", [text("one"), text(" two", { timestamp: 1_795_935_314_229 })], 3],
  ["escaped texts", [text("a\n"), text("\n\\ é \u2028"), text('a "quote"')], 5],
  ["empty texts", [text(""), text(""), text("one"), text("")], 1],
  ["two parts", [text("one"), chunk({ parts: [{ text: "one" }, { text: "two" }] }), text("three")], 1],
  ["thoughts", [text("one"), chunk({ parts: [{ text: "two", thought: true }] }), text("three")], 3],
  ["chunks of several events", [text("one"), text("two", { id: "e-2" })], 0],
  ["chunks of several agents", [text("one"), text("two", { author: "b" }), text("three")], 1],
  ["texts that look like JSON", [text('"}]},"actions":{'), text(',"timestamp":1'), text('"parts":[{"text":""')], 5],
  ["names that look like JSON", [text("one", { author: '"parts":[{"text":""' })], 1],
  ["calls", [chunk({ parts: [{ functionCall: { id: "c", name: "f", args: {} } }] }), text("one")], 1],
])("writes %s as the SDK does", (_, jsons, inShort) => {
  const texts = new ChunkTexts();
  const updates = new TaskUpdates({ taskId: "t", session: { appName: "a", userId: "u", id: "s" } });
  let written = 0;
  for (const [index, json] of [...jsons, ...jsons].entries()) {
    const cursor = `4.${index}`;
    const given = texts.textOf(json, cursor);
    const shown = [...updates.updates(eventFromJson(json), 0, cursor)];
    if (given !== undefined) expect([given]).toEqual(shown.map((each) => JSON.stringify(StreamResponse.toJSON(each))));
    if (given !== undefined) written += 1;
    else for (const update of shown) texts.learn(json, update);
  }
  expect(written).toBe(inShort);
});

it("writes nothing of an answer that has ended", () => {
  const texts = new ChunkTexts();
  const updates = new TaskUpdates({ taskId: "t", session: { appName: "a", userId: "u", id: "s" } });
  for (const update of updates.updates(eventFromJson(text("one")), 0, "4.1")) texts.learn(text("one"), update);
  expect(texts.textOf(text("two"), "4.2")).toContain('"two"');
  texts.forget();
  expect(texts.textOf(text("two"), "4.2")).toBeUndefined();
});
