import { expect, it } from "vitest";
import { fc } from "#test/helpers/random/seeded-check.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { ThinkTags } from "./think-tags.ts";

/** Thought and text of an answer whose text comes in these pieces. */
function read(...pieces: readonly string[]): { readonly thought: string; readonly text: string } {
  const tags = new ThinkTags();
  const parts = [...pieces.flatMap((piece) => tags.add(piece)), ...tags.end()];
  const join = (isThought: boolean): string =>
    parts.map((part) => ((part.thought === true) === isThought ? part.text : "")).join("");
  return { thought: join(true), text: join(false) };
}

it.each([
  ["a thought and an answer", "<think>\nhm\n</think>\n\nYes.", "hm", "Yes."],
  ["a blank beginning", "\n <think>hm</think>Yes.", "hm", "Yes."],
  ["an empty thought", "<think>\n\n</think>\n\nYes.", "", "Yes."],
  ["a thought without an end", "<think>hm, </thi", "hm, </thi", ""],
  ["tags within the thought's text", "<think>a < b <think></think>Yes.", "a < b <think>", "Yes."],
  ["a tag behind the beginning", "Say <think>hm</think>.", "", "Say <think>hm</think>."],
  ["a second thought", "<think>a</think>b<think>c</think>", "a", "b<think>c</think>"],
  ["the beginning of a tag", "<thin", "", "<thin"],
  ["an end alone", "hm</think>Yes.", "", "hm</think>Yes."],
  ["nothing", "", "", ""],
])("reads %s, however it is cut", (_, whole, thought, text) => {
  verifies("records:model-answers:think-tags");
  expect(read(whole)).toEqual({ thought, text });
  fc.assert(
    fc.property(fc.array(fc.nat(whole.length), { maxLength: 8 }), (cuts) => {
      const places = [0, ...cuts.toSorted((a, b) => a - b), whole.length];
      const pieces = places.slice(1).map((end, index) => whole.slice(places[index], end));
      expect(read(...pieces)).toEqual({ thought, text });
    }),
  );
});

it("has no thoughts in the text of an answer with another place for them", () => {
  const tags = new ThinkTags();
  tags.leave();
  expect(tags.add("<think>a</think>")).toEqual([{ text: "<think>a</think>" }]);
});
