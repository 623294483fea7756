import { expect, it } from "vitest";
import type { JsonObject } from "#kit/platform/json.ts";
import { decideNext, isDecision } from "./decide-next.ts";

const schema = {
  type: "object",
  properties: {
    decision: { type: "string", enum: ["run", "done"] },
    agents: { type: "array", items: { type: "string", enum: ["mail", "mailing_list", "returns"] } },
  },
};

function situation(request: string, ...decisions: readonly string[]): string {
  const agents = "## Agents\n- mail: Letters and stamps.\n- mailing_list: Subscriptions.\n- returns: Broken articles.";
  const decided = decisions.map((decision, index) => `${index + 1}. ${decision}`).join("\n");
  const earlier = decisions.length === 0 ? [] : [`## Your decisions until now\n${decided}`];
  return [agents, ...earlier, `## The user's request\n${request}`, "Decide what happens next."].join("\n\n");
}

it.each([
  ["for the agent that the request is about", situation("The article is broken."), ["returns"]],
  [
    "for the next such agent",
    situation("Broken stamps and subscriptions.", "Run: returns", "Run: mail"),
    ["mailing_list"],
  ],
  ["for the first agent if the request is about none", situation("Hello!"), ["mail"]],
  ["that the request is done", situation("The article is broken.", "Run: returns"), []],
])("decides %s", (_, text, agents) => {
  expect(decideNext(schema, text)).toEqual({ decision: agents.length === 0 ? "done" : "run", agents, result: "" });
});

it("is for schemas that ask which agents work next", () => {
  const others: JsonObject[] = [
    {},
    { properties: { decision: {} } },
    { properties: { decision: {}, agents: { type: "array" } } },
  ];
  expect([schema, ...others].map(isDecision)).toEqual([true, false, false, false]);
});
