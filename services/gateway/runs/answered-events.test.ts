import { expect, it } from "vitest";
import { AnsweredEvents } from "./answered-events.ts";

const MOST_CHARACTERS = 256 * 1024;

/** What is kept of the events' texts. */
function keptOf(...given: readonly { readonly json: string; readonly partial?: boolean }[]) {
  const events = new AnsweredEvents();
  for (const [index, { json, partial = false }] of given.entries())
    events.event({ json, partial, sequence: index + 1 });
  return events.kept;
}

it("keeps the complete events of an answer, and no chunk", () => {
  expect(keptOf({ json: '"a"', partial: true }, { json: '"b"' }, { json: '"c"', partial: true })).toEqual(['"b"']);
});

it("keeps events of 256 KiB together; longer ones, and those with stored files, are read again", () => {
  const half = { json: "x".repeat(MOST_CHARACTERS / 2) };
  expect(keptOf(half, half)).toEqual([half.json, half.json]);
  expect(keptOf(half, half, { json: "x", partial: true })).toHaveLength(2);
  expect(keptOf(half, { json: `${half.json}x` })).toBeUndefined();
  const withFile = { json: '{"fileData":{"fileUri":"fairlead-inline:_inline/e/0#0"}}' };
  expect(keptOf(withFile, { json: '"b"' })).toBeUndefined();
});
