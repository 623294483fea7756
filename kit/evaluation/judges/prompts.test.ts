import { describe, expect, it } from "vitest";
import { modelContent, userContent } from "#kit/events/content.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { evaluateCase } from "../engine/evaluate-case.ts";
import { MetricRegistry } from "../engine/metric-registry.ts";
import type { EvalCase, Invocation } from "../eval-set.ts";

const TURN: Invocation = {
  userContent: userContent("Is the museum open?"),
  finalResponse: {
    role: "model",
    parts: [{ text: "I think", thought: true }, { text: "It is open." }, { text: "Go now." }],
  },
  intermediateData: {
    invocationEvents: [
      {
        author: "guide",
        content: {
          role: "model",
          parts: [{ text: "Let me see." }, { functionCall: { id: "1", name: "find", args: { day: "Monday" } } }],
        },
      },
      {
        author: "guide",
        content: { role: "user", parts: [{ functionResponse: { id: "1", name: "find", response: { open: true } } }] },
        groundingMetadata: { source: "guidebook" },
      },
      { author: "guide", usageMetadata: { promptTokenCount: 1 } },
    ],
  },
  appDetails: {
    agentDetails: {
      guide: {
        name: "guide",
        instructions: "You know museums.",
        toolDeclarations: [{ functionDeclarations: [{ name: "find" }] }],
      },
      silent: { name: "silent", toolDeclarations: [] },
    },
  },
};
const BARE: Invocation = { userContent: userContent("Hello"), finalResponse: modelContent("Hi") };
const RUBRICS = [{ rubricId: "short", rubricContent: { textProperty: "The answer is short." } }];

describe("prompts of judges", () => {
  it("about final answers have everything that an answer can rely on", async () => {
    const [prompt = ""] = await promptsOf("rubric_based_final_response_quality_v1", { rubrics: RUBRICS });
    expect(sections(prompt)).toEqual({
      instructions: "guide:\nYou know museums.",
      tools: JSON.stringify({ guide: [{ functionDeclarations: [{ name: "find" }] }] }, null, 2),
      request: "Is the museum open?",
      tool_calls: JSON.stringify(
        [{ step: 0, name: "find", args: { day: "Monday" }, response: { open: true } }],
        null,
        2,
      ),
      sources: JSON.stringify([{ source: "guidebook" }], null, 2),
      answer: "It is open.\nGo now.",
      properties: "* [id: short] The answer is short.",
    });
  });

  it("have the texts before the answer if they are asked for", async () => {
    const criterion = { rubrics: RUBRICS, includeIntermediateResponsesInFinal: true };
    const [prompt = ""] = await promptsOf("rubric_based_final_response_quality_v1", criterion);
    expect(sections(prompt)["answer"]).toBe("Let me see.\nIt is open.\nGo now.");
  });

  it("say so where a turn has no tools, calls, instructions or sources", async () => {
    const [prompt = ""] = await promptsOf("rubric_based_final_response_quality_v1", { rubrics: RUBRICS }, [BARE]);
    expect(sections(prompt)).toMatchObject({
      instructions: "None.",
      tools: "The agent has no tools.",
      tool_calls: "No tool was called.",
      sources: "None.",
    });
  });

  it("about tool use have calls and no answer", async () => {
    const [prompt = ""] = await promptsOf("rubric_based_tool_use_quality_v1", { rubrics: RUBRICS });
    expect(Object.keys(sections(prompt))).toEqual(["tools", "request", "tool_calls", "properties"]);
  });

  it("about a conversation have all its turns, and are asked once", async () => {
    const prompts = await promptsOf("rubric_based_multi_turn_trajectory_quality_v1", { rubrics: RUBRICS }, [
      TURN,
      BARE,
    ]);
    expect(prompts.map((prompt) => sections(prompt)["conversation"])).toEqual([
      [
        "Turn 1, user: Is the museum open?",
        "Turn 1, agent guide, says: Let me see.",
        'Turn 1, agent guide, calls find: {"day":"Monday"}',
        'Turn 1, agent guide, gets from find: {"open":true}',
        "Turn 1, agent, answer: It is open.\nGo now.",
        "Turn 2, user: Hello",
        "Turn 2, agent, answer: Hi",
      ].join("\n"),
    ]);
  });

  it("about sentences have the context in which each text was written", async () => {
    const criterion = { evaluateIntermediateNlResponses: true };
    const prompts = await promptsOf("hallucinations_v1", criterion);
    const texts = prompts.flatMap((prompt) => sections(prompt)["text"] ?? []);
    expect(texts).toEqual(["Let me see.", "It is open.\nGo now."]);
    const contexts = prompts.flatMap((prompt) => sections(prompt)["context"] ?? []).map(sections);
    expect(contexts.map((context) => Object.keys(context))).toEqual([
      ["instructions", "request", "tools", "sources"],
      ["instructions", "request", "tools", "sources", "earlier_answer", "tool_calls", "tool_responses"],
    ]);
    expect(contexts[0]).toMatchObject({ request: "Is the museum open?", sources: "None." });
    expect(contexts[1]).toMatchObject({
      earlier_answer: "Let me see.",
      sources: JSON.stringify([{ source: "guidebook" }], null, 2),
    });
    expect(await promptsOf("hallucinations_v1", {})).toHaveLength(2);
  });

  it("about simulated users have the plan, the persona and what was said", async () => {
    const conversationScenario = {
      startingPrompt: "Is the museum open?",
      conversationPlan: "Ask about museums.",
      userPersona: "NOVICE",
    };
    const prompts = await promptsOf("per_turn_user_simulator_quality_v1", {}, [TURN, BARE], { conversationScenario });
    const said = "user: Is the museum open?\n\nagent: It is open.\nGo now.";
    expect(prompts.map((prompt) => [sections(prompt)["conversation"], sections(prompt)["message"]])).toEqual([
      [said, "Hello"],
      [`${said}\n\nuser: Hello\n\nagent: Hi`, "</finished>"],
    ]);
    expect(sections(prompts[0] ?? "")).toMatchObject({ plan: "Ask about museums.", persona: '"NOVICE"' });
  });
});

/** The prompts that a metric asks a judge, in their order. */
async function promptsOf(
  metricName: string,
  criterion: JsonObject,
  actualInvocations: readonly Invocation[] = [TURN],
  of: Pick<EvalCase, "conversationScenario"> = {},
): Promise<readonly string[]> {
  const prompts: string[] = [];
  const conversation = of.conversationScenario === undefined ? { conversation: actualInvocations } : {};
  await evaluateCase({
    evalCase: { evalId: "case", ...conversation, ...of },
    actualInvocations,
    metrics: [{ metricName, criterion: { threshold: 0.5, judgeModelOptions: { numSamples: 1 }, ...criterion } }],
    registry: new MetricRegistry(),
    judges: async ({ prompt }) => {
      prompts.push(prompt);
      return "<sentence>It is open.</sentence>";
    },
    signal: new AbortController().signal,
  });
  return prompts;
}

/** The texts between the tags of a prompt, by their names. */
function sections(prompt: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...prompt.matchAll(/^<(\w+)>\n([^]*?)\n<\/\1>$/gm)].map(([, name, text = ""]) => [name, text]),
  );
}
