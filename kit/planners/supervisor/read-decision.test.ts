import { describe, expect, it } from "vitest";
import { modelContent } from "#kit/events/content.ts";
import { Speaker } from "#test/helpers/planners/scripted-planner.ts";
import { decisionSchema, readDecision } from "./read-decision.ts";

const agents = ["writer", "critic", "Clerk", "clerk_2", "CLERK_2"].map((name) => new Speaker(name));

function read(text: string) {
  const decision = readDecision({ content: modelContent(text) }, agents);
  return decision.kind === "run" ? decision.agents.map(({ name }) => name) : decision;
}

const runs = (...names: readonly unknown[]): string => JSON.stringify({ decision: "run", agents: names, result: "" });

describe("a supervisor's answer", () => {
  it.each([
    [runs("writer"), ["writer"]],
    [runs("writer", "critic"), ["writer", "critic"]],
    [runs("writer", "critic", "writer"), ["writer", "critic"]],
    [runs(" Writer\n", "CLERK"), ["writer", "Clerk"]],
    [runs("clerk_2", "CLERK_2"), ["clerk_2", "CLERK_2"]],
    [`\`\`\`json\n${runs("writer")}\n\`\`\``, ["writer"]],
    ['{"decision":"run","agents":["writer"]}', ["writer"]],
  ])("runs agents: %j", (text, names) => expect(read(text)).toEqual(names));

  it.each([
    ['{"decision":"done","agents":[],"result":""}', { kind: "done" }],
    ['{"decision":"done"}', { kind: "done" }],
    ['{"decision":"done","result":" \\n"}', { kind: "done" }],
    ['{"decision":"done","agents":[],"result":"All: done."}', { kind: "done", result: "All: done." }],
  ])("is the end: %j", (text, decision) => expect(read(text)).toEqual(decision));

  it.each([
    ["", "The answer is not a JSON object."],
    ["writer", "The answer is not a JSON object."],
    ["DONE", "The answer is not a JSON object."],
    [`I think the writer is next: ${runs("writer")}`, "The answer is not a JSON object."],
    ["[]", "The answer is not a JSON object."],
    ["{}", '`decision` is neither "run" nor "done".'],
    ['{"decision":"run"}', '`decision` is "run", and `agents` is empty.'],
    ['{"decision":"run","agents":"writer"}', "`agents` is not a list of names."],
    [runs(1), "`agents` is not a list of names."],
    ['{"decision":"done","agents":[],"result":5}', "`result` is not a text."],
    [
      '{"decision":"done","agents":["writer"],"result":""}',
      '`decision` is "done", and `agents` names agents: decide for one of them.',
    ],
    [
      runs("writer", "poet"),
      'There is no agent "poet". The agents are "writer", "critic", "Clerk", "clerk_2", "CLERK_2".',
    ],
    [runs("Clerk_2"), '"Clerk_2" may be "clerk_2", "CLERK_2": write the name exactly.'],
  ])("is not valid: %j", (text, problem) => expect(read(text)).toEqual({ kind: "invalid", problem }));

  it("is not valid if the model ended early, and quotes no long name", () => {
    const content = modelContent(runs("writer"));
    expect(readDecision({ content, errorCode: "MAX_TOKENS" }, agents)).toEqual({
      kind: "invalid",
      problem: "The answer ended with MAX_TOKENS.",
    });
    expect(JSON.stringify(read(runs("x".repeat(10_000)))).length).toBeLessThan(300);
  });

  it("is asked for by a schema that has the agents' names", () => {
    expect(decisionSchema(agents)).toMatchObject({
      properties: {
        decision: { enum: ["run", "done"] },
        agents: { items: { enum: ["writer", "critic", "Clerk", "clerk_2", "CLERK_2"] } },
      },
      required: ["decision", "agents", "result"],
    });
  });
});
