import { expect, it } from "vitest";
import { modelContent, type Part, userContent } from "#kit/events/content.ts";
import type { Invocation } from "../eval-set.ts";
import { conversationText, dialogueText } from "./conversation-text.ts";

const parts: readonly Part[] = [
  { text: "I should look.", thought: true },
  { text: "Let me see." },
  { text: "" },
  { functionCall: { name: "look", args: { at: 1 } } },
  { functionCall: {} },
  { functionResponse: { name: "look", response: { found: true } } },
];
const TURNS: readonly Invocation[] = [
  {
    userContent: userContent("Where?"),
    intermediateData: {
      invocationEvents: [{ author: "clerk", content: { role: "model", parts } }, { author: "boss" }],
    },
    finalResponse: { role: "model", parts: [{ text: "Hm.", thought: true }, { text: "Here." }] },
  },
  { userContent: userContent("Thanks.") },
  { userContent: userContent("Bye."), finalResponse: modelContent("Bye.") },
];

it("a judge reads each step of a conversation as a line, without the agents' thoughts", () => {
  expect(conversationText(TURNS).split("\n")).toEqual([
    "Turn 1, user: Where?",
    "Turn 1, agent clerk, says: Let me see.",
    'Turn 1, agent clerk, calls look: {"at":1}',
    "Turn 1, agent clerk, calls : {}",
    'Turn 1, agent clerk, gets from look: {"found":true}',
    "Turn 1, agent, answer: Here.",
    "Turn 2, user: Thanks.",
    "Turn 3, user: Bye.",
    "Turn 3, agent, answer: Bye.",
  ]);
});

it("a judge of the dialogue reads what the user and the agent said", () => {
  expect(dialogueText(TURNS).split("\n\n")).toEqual([
    ...["user: Where?", "agent: Here.", "user: Thanks.", "user: Bye.", "agent: Bye."],
  ]);
});
