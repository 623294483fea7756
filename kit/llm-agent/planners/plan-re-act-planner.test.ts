import { describe, expect, it } from "vitest";
import { CallbackContext } from "#kit/core/context/callback-context.ts";
import type { Part } from "#kit/events/content.ts";
import { createInvocation } from "#test/helpers/worlds/invocation.ts";
import { PlanReActPlanner } from "./plan-re-act-planner.ts";
import { PLAN_TAGS } from "./plan-sections.ts";

const planner = new PlanReActPlanner();
const context = new CallbackContext(createInvocation());
const read = (...parts: Part[]) => planner.processPlanningResponse(context, parts);
const call = (name: string): Part => ({ functionCall: { name, args: {} } });

describe("PlanReActPlanner", () => {
  it("describes to the model each tag that it reads", () => {
    const instruction = planner.buildPlanningInstruction();
    expect(Object.values(PLAN_TAGS).filter((tag) => !instruction.includes(tag))).toEqual([]);
  });

  it.each<[string, Part[]]>([
    ["Just text.", [{ text: "Just text." }]],
    ["/*PLANNING*/1. Look.", [{ text: "1. Look.", thought: true }]],
    [
      "/*PLANNING*/1. Look./*REASONING*/Found./*FINAL_ANSWER*/42",
      [{ text: "1. Look.Found.", thought: true }, { text: "42" }],
    ],
    ["Before./*FINAL_ANSWER*/42", [{ text: "Before.", thought: true }, { text: "42" }]],
    [
      "I end with /*FINAL_ANSWER*/ soon. /*FINAL_ANSWER*/42",
      [{ text: "I end with  soon. ", thought: true }, { text: "42" }],
    ],
    ["Hello! /*REPLANNING*/2. Ask.", [{ text: "Hello! " }, { text: "2. Ask.", thought: true }]],
    ["/*FINAL_ANSWER*/", []],
    ["/*OTHER*/text", [{ text: "/*OTHER*/text" }]],
  ])("reads %j by its tags, the last final-answer tag before all", (text, parts) => {
    expect(read({ text })).toEqual(parts);
  });

  it("keeps the first group of calls and nothing behind it", () => {
    const action = { text: "/*ACTION*/Look." };
    expect(read(action, call(""), call("a"), call("b"), { text: "/*FINAL_ANSWER*/made up" }, call("c"))).toEqual([
      { text: "Look.", thought: true },
      call("a"),
      call("b"),
    ]);
  });

  it("leaves the model's own thoughts and other data as they are, and a signature with the answer", () => {
    const thought = { text: "/*FINAL_ANSWER*/?", thought: true };
    const image = { inlineData: { mimeType: "image/png", data: "AA==" } };
    expect(read(thought, image, { text: "/*REASONING*/a/*FINAL_ANSWER*/b", thoughtSignature: "c2ln" })).toEqual([
      thought,
      image,
      { text: "a", thought: true },
      { text: "b", thoughtSignature: "c2ln" },
    ]);
  });

  it.each([1, 2, 3, 5, 8, 100])("gives out the same text when it comes in chunks of %i", (size) => {
    const text = "/*PLANNING*/1. a / b /* c *//*ACTION*/Look./*FINAL_ANSWER*/The answer is 6/7.";
    const readChunk = planner.createChunkReader();
    const parts: Part[] = [];
    for (let at = 0; at < text.length; at += size) parts.push(...readChunk([{ text: text.slice(at, at + size) }]));
    const textOfThose = (thought: boolean) =>
      parts.map((part) => ((part.thought ?? false) === thought ? part.text : "")).join("");
    expect([textOfThose(true), textOfThose(false)]).toEqual(["1. a / b /* c */Look.", "The answer is 6/7."]);
    expect(read({ text })).toEqual([{ text: "1. a / b /* c */Look.", thought: true }, { text: "The answer is 6/7." }]);
  });

  it("holds text back until a tag determines what it is", () => {
    const readChunk = planner.createChunkReader();
    expect([
      readChunk([{ text: "I thi" }]),
      readChunk([{ text: "nk" }]),
      readChunk([{ text: "/*FINAL_ANSWER*/4" }]),
    ]).toEqual([[], [], [{ text: "4" }]]);
  });
});
