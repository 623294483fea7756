import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { FileEvalStore } from "./file-eval-store.ts";

const KEY = { appName: "weather_agent", evalSetId: "smoke" };

async function openStore() {
  const folder = await mkdtemp(join(tmpdir(), "fairlead-evals-"));
  const store = new FileEvalStore({ folder, clock: new FixedClock() });
  const write = async (path: string, content: string) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  };
  return { folder, store, write, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

const TURN = { userContent: { role: "user", parts: [{ text: "hi" }] } };

describe("FileEvalStore", () => {
  it("writes the files that ADK's own server writes", async () => {
    await using world = await openStore();
    await world.store.createEvalSet({
      ...KEY,
      name: "smoke",
      creationTimestamp: 1.5,
      evalCases: [{ evalId: "a", conversation: [TURN] }],
    });
    await world.store.saveEvalSetResult(
      { appName: "weather_agent" },
      {
        evalSetResultId: "weather_agent_smoke_2.25",
        evalSetResultName: "weather_agent_smoke_2.25",
        evalSetId: "smoke",
        evalCaseResults: [],
        creationTimestamp: 2.25,
      },
    );
    expect(await readFile(join(world.folder, "weather_agent/smoke.evalset.json"), "utf8")).toBe(
      `${JSON.stringify({ eval_set_id: "smoke", name: "smoke", eval_cases: [{ evalId: "a", conversation: [TURN] }], creation_timestamp: 1.5 }, undefined, 2)}\n`,
    );
    expect(await readdir(join(world.folder, "weather_agent/.adk/eval_history"))).toEqual([
      "weather_agent_smoke_2.25.evalset_result.json",
    ]);
  });

  it("reads sets in either spelling, nulls and unknown members included, and keeps the latter on a change", async () => {
    await using world = await openStore();
    const args = { user_name: null, function_call: { inline_data: 1 } };
    const snake = {
      eval_set_id: "smoke",
      name: null,
      model_execution_mode: "live",
      eval_cases: [
        {
          eval_id: "a",
          conversation: [
            {
              invocation_id: "i",
              user_content: {
                role: "user",
                parts: [{ inline_data: { mime_type: "a/b", data: "aGk=" } }, { function_call: { name: "f", args } }],
              },
              final_response: null,
              intermediate_data: {
                tool_uses: [{ name: "f", args }],
                intermediate_responses: [["agent", [{ text: "x", thought_signature: "s" }]]],
              },
              custom_member: 1,
            },
          ],
          session_input: { app_name: "weather_agent", user_id: "u", state: { a_b: 1 } },
          creation_timestamp: 3,
        },
      ],
    };
    await world.write("weather_agent/smoke.evalset.json", JSON.stringify(snake));
    const evalCase = {
      evalId: "a",
      conversation: [
        {
          invocationId: "i",
          userContent: {
            role: "user",
            parts: [{ inlineData: { mimeType: "a/b", data: "aGk=" } }, { functionCall: { name: "f", args } }],
          },
          intermediateData: {
            toolUses: [{ name: "f", args }],
            intermediateResponses: [["agent", [{ text: "x", thoughtSignature: "s" }]]],
          },
          custom_member: 1,
        },
      ],
      sessionInput: { appName: "weather_agent", userId: "u", state: { a_b: 1 } },
      creationTimestamp: 3,
    };
    expect(await world.store.getEvalSet(KEY)).toEqual({
      evalSetId: "smoke",
      model_execution_mode: "live",
      evalCases: [evalCase],
      creationTimestamp: 0,
    });
    await world.store.addEvalCase(KEY, { evalId: "b", conversation: [TURN] });
    expect(JSON.parse(await readFile(join(world.folder, "weather_agent/smoke.evalset.json"), "utf8"))).toEqual({
      eval_set_id: "smoke",
      model_execution_mode: "live",
      eval_cases: [evalCase, { evalId: "b", conversation: [TURN] }],
      creation_timestamp: 0,
    });
  });

  it("reads results that an old server encoded twice", async () => {
    await using world = await openStore();
    const result = {
      eval_set_result_id: "r",
      eval_set_id: "smoke",
      eval_case_results: [{ eval_id: "a", final_eval_status: 2 }],
      creation_timestamp: 1,
    };
    await world.write("weather_agent/.adk/eval_history/r.evalset_result.json", JSON.stringify(JSON.stringify(result)));
    expect(await world.store.getEvalSetResult({ appName: "weather_agent" }, "r")).toEqual({
      evalSetResultId: "r",
      evalSetResultName: "r",
      evalSetId: "smoke",
      evalCaseResults: [{ evalId: "a", finalEvalStatus: 2 }],
      creationTimestamp: 1,
    });
  });

  it("names the set or result that is broken and the reason, without a path, and can still list and delete it", async () => {
    await using world = await openStore();
    await world.write("weather_agent/smoke.evalset.json", '{"eval_set_id": "smoke", "eval_cases": [{"eval_id": "a"}]}');
    await world.write("weather_agent/cut.evalset.json", '{"eval_set_id": "cut", "eva');
    await world.write("weather_agent/.adk/eval_history/r.evalset_result.json", "[]");
    const broken = async (reading: Promise<unknown>) => {
      const error: unknown = await reading.catch((reason: unknown) => reason);
      expect(error).toMatchObject({ reason: "EVAL_DATA_BROKEN" });
      return error instanceof Error ? error.message : "";
    };
    expect(await broken(world.store.getEvalSet(KEY))).toBe(
      "Evaluation set smoke cannot be read: eval_cases[0] must have exactly one of conversation and conversationScenario. Repair or delete it.",
    );
    expect(
      await broken(world.store.addEvalCase({ ...KEY, evalSetId: "cut" }, { evalId: "b", conversation: [TURN] })),
    ).toBe("Evaluation set cut cannot be read: its file is not JSON. Repair or delete it.");
    expect(await broken(world.store.getEvalSetResult({ appName: "weather_agent" }, "r"))).toBe(
      "Evaluation result r cannot be read: eval_set_result must be an object. Repair or delete it.",
    );
    expect(await world.store.listEvalSets({ appName: "weather_agent" })).toEqual(["cut", "smoke"]);
    await world.store.deleteEvalSet(KEY);
    expect(await world.store.listEvalSets({ appName: "weather_agent" })).toEqual(["cut"]);
  });

  it("does not take other files for its own", async () => {
    await using world = await openStore();
    await world.write("weather_agent/agent.py", "");
    await world.write("weather_agent/bad name.evalset.json", "{}");
    await world.write("weather_agent/.adk/eval_history/notes.txt", "");
    expect(await world.store.listEvalSets({ appName: "weather_agent" })).toEqual([]);
    expect(await world.store.listEvalSetResults({ appName: "weather_agent" })).toEqual([]);
  });
});
