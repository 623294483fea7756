import { describe, expect, it } from "vitest";
import { type Content, modelContent, userContent } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { createStep } from "#test/helpers/worlds/step.ts";
import { runContext } from "./contents.ts";
import { dynamicInstruction } from "./dynamic-instruction.ts";

const [one, two] = [userContent("one"), userContent("two")];
const call: Content = { role: "model", parts: [{ functionCall: { id: "c", name: "look" } }] };
const response: Content = { role: "user", parts: [{ functionResponse: { id: "c", name: "look" } }] };
const said = modelContent("said");
const inserted = {
  role: "user",
  parts: [{ text: expect.stringMatching(/^These are your instructions .*\n\nBe brief\.$/s) }],
};

async function contentsWith(instruction: string, contents: readonly Content[]): Promise<readonly Content[]> {
  const step = createStep({ agent: new LlmAgent({ name: "helper", staticInstruction: "Be kind.", instruction }) });
  step.request.contents = [...contents];
  await dynamicInstruction(step);
  return step.request.contents;
}

describe("an instruction beside a static one", () => {
  it.each<[string, readonly Content[], readonly Content[]]>([
    ["first in an empty prompt", [], [inserted]],
    ["before a single message", [one], [inserted, one]],
    ["before all of the newest messages", [one, said, one, two], [one, said, inserted, one, two]],
    ["before all messages, if there is nothing else", [one, two], [inserted, one, two]],
    [
      "before the message that led to calls",
      [one, said, two, call, response],
      [one, said, inserted, two, call, response],
    ],
    ["first, if there is no message", [call, response], [inserted, call, response]],
  ])("stands %s", async (_, contents, expected) => {
    expect(await contentsWith("Be brief.", contents)).toEqual(expected);
  });

  it("is left out if it is empty, or if there is none", async () => {
    expect(await contentsWith("{gone?}", [one])).toEqual([one]);
    const step = createStep({ agent: new LlmAgent({ name: "helper", staticInstruction: "Be kind." }) });
    expect(dynamicInstruction(step)).toBeUndefined();
  });
});

describe("what the caller of a run adds for the model", () => {
  it("stands before the newest message, or first if there is none", () => {
    const added = userContent("It is noon.");
    const contentsOf = (contents: readonly Content[], modelInputContext: readonly Content[]) => {
      const step = createStep({ runConfig: { modelInputContext } });
      step.request.contents = [...contents];
      runContext(step);
      return step.request.contents;
    };
    expect(contentsOf([one, said, two, call, response], [added])).toEqual([one, said, added, two, call, response]);
    expect(contentsOf([call, response], [added])).toEqual([added, call, response]);
    expect(contentsOf([one, two], [])).toEqual([one, two]);
  });
});
