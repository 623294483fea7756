import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { metricsOf, parseEvalConfig } from "./eval-config.ts";
import { formatEvalSetFile, parseEvalSetFile } from "./eval-set-file.ts";

const TURN = { userContent: { parts: [{ text: "Hi" }], role: "user" }, invocationId: "1" };

describe("files of evaluation sets", () => {
  it.each([
    ["camelCase", { evalSetId: "greet", evalCases: [{ evalId: "hi", conversation: [TURN] }] }],
    [
      "snake_case",
      {
        eval_set_id: "greet",
        eval_cases: [{ eval_id: "hi", conversation: [{ user_content: TURN.userContent, invocation_id: "1" }] }],
      },
    ],
    ["no id", { eval_cases: [{ evalId: "hi", conversation: [TURN] }] }],
    ["an empty id", { eval_set_id: "", eval_cases: [{ evalId: "hi", conversation: [TURN] }] }],
  ])("are read with %s", (_title, file) => {
    verifies("platform:evaluation:formats");
    expect(parseEvalSetFile(JSON.stringify(file), "greet.evalset.json")).toEqual({
      evalSetId: "greet",
      evalCases: [{ evalId: "hi", conversation: [TURN] }],
      creationTimestamp: 0,
    });
  });

  it("are read with empty ids and users, as sets of ADK have them", () => {
    verifies("platform:evaluation:formats");
    const session = { app_name: "a", user_id: "", state: {} };
    const cases = [{ eval_id: "", conversation: [TURN], session_input: session }, { conversation: [TURN] }];
    const { evalCases } = parseEvalSetFile(JSON.stringify({ eval_set_id: "s", eval_cases: cases }), "s.evalset.json");
    expect(evalCases).toMatchObject([
      { evalId: "case_1", sessionInput: { appName: "a", userId: "test_user_id", state: {} } },
      { evalId: "case_2" },
    ]);
    const old = [{ name: "n", data: [{ query: "Hi" }], initial_session: session }];
    expect(parseEvalSetFile(JSON.stringify(old), "old.test.json").evalCases[0]?.sessionInput?.userId).toBe("user");
  });

  it("are read in the form of a list of cases", () => {
    const data = [
      {
        query: "Roll a die",
        expected_tool_use: [{ tool_name: "roll", tool_input: { sides: 6 } }, { tool_name: "tell" }],
        expected_intermediate_agent_responses: [{ author: "dice", text: "Rolling." }],
        reference: "It is 4.",
      },
      { query: "Thanks" },
    ];
    const session = { state: { sides: 6 }, app_name: "dice", user_id: "me" };
    expect(
      parseEvalSetFile(JSON.stringify([{ name: "roll", data, initial_session: session }]), "my dice.evalset.json"),
    ).toEqual({
      evalSetId: "my_dice",
      name: "my_dice",
      creationTimestamp: 0,
      evalCases: [
        {
          evalId: "roll",
          sessionInput: { appName: "dice", userId: "me", state: { sides: 6 } },
          conversation: [
            {
              invocationId: "turn-1",
              userContent: { role: "user", parts: [{ text: "Roll a die" }] },
              finalResponse: { role: "model", parts: [{ text: "It is 4." }] },
              intermediateData: {
                toolUses: [
                  { name: "roll", args: { sides: 6 } },
                  { name: "tell", args: {} },
                ],
                toolResponses: [],
                intermediateResponses: [["dice", [{ text: "Rolling." }]]],
              },
            },
            {
              invocationId: "turn-2",
              userContent: { role: "user", parts: [{ text: "Thanks" }] },
              intermediateData: { toolUses: [], toolResponses: [], intermediateResponses: [] },
            },
          ],
        },
      ],
    });
  });

  it("are read in the form of the rows of one case", () => {
    const set = parseEvalSetFile(JSON.stringify([{ query: "Hi", reference: "Hello" }]), "greet.test.json");
    expect([set.evalSetId, set.evalCases.map(({ evalId, conversation }) => [evalId, conversation?.length])]).toEqual([
      "greet",
      [["greet", 1]],
    ]);
  });

  it("are written in the form in which they are read", () => {
    const set = parseEvalSetFile(
      JSON.stringify({ evalSetId: "greet", evalCases: [{ evalId: "hi", conversation: [TURN] }] }),
      "x.json",
    );
    const text = formatEvalSetFile(set);
    expect(Object.keys(JSON.parse(text))).toEqual(["eval_set_id", "eval_cases", "creation_timestamp"]);
    expect(parseEvalSetFile(text, "x.json")).toEqual(set);
  });

  it.each([
    ["{", "not valid JSON"],
    ["7", "object"],
    [JSON.stringify([{ query: 7 }]), "data[0].query must be a string"],
    [JSON.stringify([{ name: "a" }]), "cases[0].data is missing"],
    [JSON.stringify({ evalSetId: "a b", evalCases: [] }), "letters, digits"],
    [fileOf({ conversation_scenario: { starting_prompt: 5 } }), "eval_cases[0].conversationScenario.startingPrompt"],
    [fileOf({ conversationScenario: { startingPrompt: "Hi" } }), "conversationScenario.conversationPlan is missing"],
    [fileOf({ conversation: [TURN], session_input: { user_id: 7 } }), "eval_cases[0].sessionInput.userId must be a"],
    [fileOf({ conversation: [TURN], session_input: { state: [1] } }), "eval_cases[0].sessionInput.state must be"],
    [
      fileOf({ conversation: [TURN], rubrics: [{ rubric_id: "r" }] }),
      "eval_cases[0].rubrics[0].rubricContent is missing",
    ],
  ])("that are broken are refused: %s", (text, message) => {
    expect(() => parseEvalSetFile(text, "a.evalset.json")).toThrow(message);
  });
});

/** The file of a set with one case. */
function fileOf(members: object): string {
  return JSON.stringify({ eval_cases: [{ evalId: "hi", ...members }] });
}

describe("configs of evaluations", () => {
  it.each([
    [
      {
        criteria: { a: 0.5, b: { threshold: 1, match_type: "EXACT" } },
        custom_metrics: { a: { code_config: { name: "x.y" } } },
      },
    ],
    [
      {
        criteria: { a: 0.5, b: { threshold: 1, match_type: "EXACT" } },
        customMetrics: { a: { codeConfig: { name: "x.y" } } },
      },
    ],
  ])("become metrics: %j", (file) => {
    expect(metricsOf(parseEvalConfig(file))).toEqual([
      { metricName: "a", threshold: 0.5, criterion: { threshold: 0.5 }, customFunctionPath: "x.y" },
      { metricName: "b", threshold: 1, criterion: { threshold: 1, match_type: "EXACT" } },
    ]);
  });

  it.each([
    [[], "object"],
    [{ criteria: { a: "high" } }, "config.criteria.a must be a number, or an object with a threshold"],
    [{ criteria: { a: {} } }, "config.criteria.a must be"],
    [{ userSimulatorConfig: { type: "spoken" } }, "config.userSimulatorConfig.type"],
  ])("that are wrong are refused: %j", (file, message) => {
    expect(() => parseEvalConfig(file)).toThrow(message);
  });
});
