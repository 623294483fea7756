import { describe, expect, it } from "vitest";
import { modelContent, userContent } from "#kit/events/content.ts";
import { verifies } from "#test/helpers/verifies.ts";
import type { Invocation } from "../eval-set.ts";
import { createModelUser, type ModelUserOptions, type SimulatorCall } from "./model-user.ts";

const SCENARIO = { startingPrompt: "Hello", conversationPlan: "Ask for a table for two." };
const { signal } = new AbortController();

describe("a simulated user", () => {
  it("begins with the starting prompt, follows its model, and ends at the stop signal or the limit", async () => {
    verifies("platform:evaluation:simulation");
    const calls: SimulatorCall[] = [];
    const answers = ["A table, please.", "That was all. </FINISHED>"];
    const ask = async (call: SimulatorCall) => answers[calls.push(call) - 1] ?? "";
    const user = createModelUser({ scenario: SCENARIO, ask, config: { model: "demo/user", maxAllowedInvocations: 4 } });
    expect(await user.nextMessage([], signal)).toEqual({ kind: "message", content: userContent("Hello") });
    expect(await user.nextMessage([turn("Hello", "Hi")], signal)).toEqual({
      kind: "message",
      content: userContent("A table, please."),
    });
    expect(await user.nextMessage([turn("Hello", "Hi"), turn("A table, please.", "Done")], signal)).toEqual({
      kind: "end",
      why: "stop_signal_detected",
    });
    expect(
      await user.nextMessage(
        Array.from({ length: 4 }, () => turn("a", "b")),
        signal,
      ),
    ).toEqual({ kind: "end", why: "turn_limit_reached" });
    expect(calls.map(({ model, turn: number }) => [model, number])).toEqual([
      ["demo/user", 1],
      ["demo/user", 2],
    ]);
    for (const text of ["Ask for a table for two.", "user: Hello\n\nagent: Hi"])
      expect(calls[0]?.prompt).toContain(text);
  });

  it("has a persona, and the agent's calls if they are asked for", async () => {
    const prompt = await promptOf({
      scenario: { ...SCENARIO, userPersona: "NOVICE" },
      config: { includeFunctionCalls: true },
    });
    expect(prompt).toContain("You are new to the field.");
    expect(prompt).toContain('The agent calls book: {"seats":2}');
    expect(await promptOf({ scenario: SCENARIO })).not.toContain("book");
  });

  it("follows custom instructions, in which texts of users are never places", async () => {
    const customInstructions = "Plan: {{ conversation_plan }}. Said: {{conversation_history}}. End: {{ stop_signal }}";
    const scenario = { ...SCENARIO, conversationPlan: "say {{ stop_signal }}" };
    const prompt = await promptOf({ scenario, config: { customInstructions } });
    expect(prompt).toBe("Plan: say {{ stop_signal }}. Said: user: Hello\n\nagent: Hi. End: </finished>");
    expect(() => createModelUser({ scenario, ask: async () => "", config: { customInstructions: "Plan" } })).toThrow(
      "{{ stop_signal }}",
    );
  });

  it("that writes nothing is an error", async () => {
    const user = createModelUser({ scenario: SCENARIO, ask: async () => " " });
    await expect(user.nextMessage([turn("Hello", "Hi")], signal)).rejects.toMatchObject({ reason: "EVAL_USER_SILENT" });
  });
});

async function promptOf(options: Omit<ModelUserOptions, "ask">): Promise<string> {
  const prompts: string[] = [];
  const user = createModelUser({ ...options, ask: async ({ prompt }) => (prompts.push(prompt), "Next.") });
  await user.nextMessage([turn("Hello", "Hi")], signal);
  return prompts.join();
}

function turn(question: string, answer: string): Invocation {
  const toolUses = [{ name: "book", args: { seats: 2 } }];
  return { userContent: userContent(question), finalResponse: modelContent(answer), intermediateData: { toolUses } };
}
