import { describe, expect, it } from "vitest";
import type { EvalSetResult } from "#kit/evaluation/eval-result.ts";
import type { EvalCase } from "#kit/evaluation/eval-set.ts";
import type { EvalStore } from "#ports/evaluation/eval-store.ts";

export interface EvalStoreContract {
  /** An empty store whose clock is set to `CONTRACT_TIME_MS`. */
  readonly create: () => Promise<{ readonly service: EvalStore; readonly dispose: () => Promise<void> }>;
}

export const CONTRACT_TIME_MS = 1_767_225_600_250;

const KEY = { appName: "app", evalSetId: "smoke" };

export function evalCase(evalId: string, question = "weather in Rome?"): EvalCase {
  return {
    evalId,
    conversation: [
      {
        invocationId: "e-1",
        userContent: { role: "user", parts: [{ text: question }] },
        finalResponse: { role: "model", parts: [{ text: "sunny ☀" }] },
        intermediateData: {
          toolUses: [{ id: "c1", name: "get_weather", args: { city_name: "Rome", deep: { snake_case: null } } }],
          toolResponses: [{ id: "c1", name: "get_weather", response: { sky_state: "clear" } }],
          intermediateResponses: [["weather_agent", [{ text: "checking" }]]],
        },
        creationTimestamp: 1787140000.1,
      },
    ],
    sessionInput: { appName: "app", userId: "user", state: { some_key: 1 } },
    creationTimestamp: 1787140001,
  };
}

export function evalSetResult(name: string, overrides: Partial<EvalSetResult> = {}): EvalSetResult {
  return {
    evalSetResultId: name,
    evalSetResultName: name.replaceAll("/", "_"),
    evalSetId: "smoke",
    evalCaseResults: [
      {
        evalSetId: "smoke",
        evalId: "rome",
        finalEvalStatus: 1,
        overallEvalMetricResults: [{ metricName: "tool_trajectory_avg_score", threshold: 1, score: 1, evalStatus: 1 }],
        evalMetricResultPerInvocation: [],
        sessionId: "___eval___session___1",
        userId: "test_user_id",
      },
    ],
    creationTimestamp: 1787140002.25,
    ...overrides,
  };
}

export function evalStoreContract({ create }: EvalStoreContract): void {
  const withStore = (test: (store: EvalStore) => Promise<void>) => async () => {
    const { service, dispose } = await create();
    try {
      await test(service);
    } finally {
      await dispose();
    }
  };

  describe("sets", () => {
    it(
      "are created empty or with cases, and read as they were created",
      withStore(async (store) => {
        const empty = { evalSetId: "smoke", evalCases: [], creationTimestamp: CONTRACT_TIME_MS / 1000 };
        expect(await store.createEvalSet(KEY)).toEqual(empty);
        expect(await store.getEvalSet(KEY)).toEqual(empty);
        const full = {
          evalSetId: "full-1_A",
          name: "Full",
          description: "é",
          creationTimestamp: 1787140000.1,
          evalCases: [evalCase("b"), evalCase("a")],
        };
        expect(await store.createEvalSet({ appName: "app", ...full })).toEqual(full);
        expect(await store.getEvalSet({ appName: "app", evalSetId: "full-1_A" })).toEqual(full);
      }),
    );

    it(
      "are listed by id, sorted, for each app of its own",
      withStore(async (store) => {
        for (const evalSetId of ["b", "a", "c"]) await store.createEvalSet({ appName: "app", evalSetId });
        await store.createEvalSet({ appName: "other", evalSetId: "a" });
        expect(await store.listEvalSets({ appName: "app" })).toEqual(["a", "b", "c"]);
        expect(await store.listEvalSets({ appName: "nobody" })).toEqual([]);
        expect(await store.getEvalSet({ appName: "other", evalSetId: "b" })).toBeUndefined();
      }),
    );

    it(
      "are not created twice, not even concurrently",
      withStore(async (store) => {
        const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => store.createEvalSet(KEY)));
        expect(outcomes.map(({ status }) => status).sort()).toEqual([
          "fulfilled",
          "rejected",
          "rejected",
          "rejected",
          "rejected",
        ]);
        await store.addEvalCase(KEY, evalCase("a"));
        await expect(store.createEvalSet(KEY)).rejects.toMatchObject({ reason: "EVAL_SET_ALREADY_EXISTS" });
        expect(await store.listEvalCases(KEY)).toEqual(["a"]);
      }),
    );

    it(
      "are deleted with their cases, and can be created again",
      withStore(async (store) => {
        await store.createEvalSet({ ...KEY, evalCases: [evalCase("a")] });
        await store.deleteEvalSet(KEY);
        expect(await store.getEvalSet(KEY)).toBeUndefined();
        expect(await store.getEvalCase({ ...KEY, evalId: "a" })).toBeUndefined();
        await expect(store.deleteEvalSet(KEY)).rejects.toMatchObject({ reason: "EVAL_SET_NOT_FOUND" });
        await store.createEvalSet(KEY);
        expect(await store.listEvalCases(KEY)).toEqual([]);
      }),
    );

    for (const evalSetId of ["", "a b", "a.b", "../a", "a/b", "é", "a\u0000", "a".repeat(129), "."]) {
      it(
        `refuse the id ${JSON.stringify(evalSetId.slice(0, 10))}`,
        withStore(async (store) => {
          const refused = { reason: "INVALID_IDENTIFIER" };
          await expect(store.createEvalSet({ appName: "app", evalSetId })).rejects.toMatchObject(refused);
          await expect(store.getEvalSet({ appName: "app", evalSetId })).rejects.toMatchObject(refused);
          await expect(store.deleteEvalSet({ appName: "app", evalSetId })).rejects.toMatchObject(refused);
        }),
      );
    }

    it(
      "belong to apps of any name that is an identifier",
      withStore(async (store) => {
        const apps = [
          "../x",
          "/etc",
          ".",
          "..",
          "a/b",
          "a%2Fb",
          "A",
          "a",
          "日本",
          ".tmp",
          "_x",
          "__proto__",
          "n".repeat(256),
        ];
        for (const appName of apps) await store.createEvalSet({ appName, evalSetId: "s", name: appName });
        for (const appName of apps) expect((await store.getEvalSet({ appName, evalSetId: "s" }))?.name).toBe(appName);
        await expect(store.listEvalSets({ appName: "" })).rejects.toMatchObject({ reason: "INVALID_IDENTIFIER" });
        await expect(store.createEvalSet({ appName: "a\u0000", evalSetId: "s" })).rejects.toMatchObject({
          reason: "INVALID_IDENTIFIER",
        });
      }),
    );
  });

  describe("cases", () => {
    it(
      "are added, read, listed in order of their ids, replaced in place and deleted",
      withStore(async (store) => {
        await store.createEvalSet(KEY);
        for (const evalId of ["b", "a", "dir/ü c"]) await store.addEvalCase(KEY, evalCase(evalId));
        expect(await store.listEvalCases(KEY)).toEqual(["a", "b", "dir/ü c"]);
        expect(await store.getEvalCase({ ...KEY, evalId: "dir/ü c" })).toEqual(evalCase("dir/ü c"));
        expect(await store.getEvalCase({ ...KEY, evalId: "x" })).toBeUndefined();
        await store.updateEvalCase(KEY, evalCase("b", "weather in Oslo?"));
        await store.deleteEvalCase({ ...KEY, evalId: "a" });
        expect((await store.getEvalSet(KEY))?.evalCases).toEqual([
          evalCase("b", "weather in Oslo?"),
          evalCase("dir/ü c"),
        ]);
      }),
    );

    it(
      "of one id are there once",
      withStore(async (store) => {
        await store.createEvalSet({ ...KEY, evalCases: [evalCase("a")] });
        const refused = { reason: "EVAL_CASE_ALREADY_EXISTS" };
        await expect(store.addEvalCase(KEY, evalCase("a"))).rejects.toMatchObject(refused);
        const twice = { appName: "app", evalSetId: "twice", evalCases: [evalCase("a"), evalCase("a")] };
        await expect(store.createEvalSet(twice)).rejects.toMatchObject(refused);
        expect(await store.listEvalSets({ appName: "app" })).toEqual(["smoke"]);
      }),
    );

    it(
      "need their set, and to exist when they are changed",
      withStore(async (store) => {
        const noSet = { reason: "EVAL_SET_NOT_FOUND" };
        await expect(store.addEvalCase(KEY, evalCase("a"))).rejects.toMatchObject(noSet);
        await expect(store.updateEvalCase(KEY, evalCase("a"))).rejects.toMatchObject(noSet);
        await expect(store.deleteEvalCase({ ...KEY, evalId: "a" })).rejects.toMatchObject(noSet);
        await expect(store.listEvalCases(KEY)).rejects.toMatchObject(noSet);
        expect(await store.getEvalCase({ ...KEY, evalId: "a" })).toBeUndefined();
        await store.createEvalSet(KEY);
        await expect(store.updateEvalCase(KEY, evalCase("a"))).rejects.toMatchObject({ reason: "EVAL_CASE_NOT_FOUND" });
        await expect(store.deleteEvalCase({ ...KEY, evalId: "a" })).rejects.toMatchObject({
          reason: "EVAL_CASE_NOT_FOUND",
        });
      }),
    );

    it(
      "that are added concurrently are all kept",
      withStore(async (store) => {
        await store.createEvalSet(KEY);
        const ids = Array.from({ length: 20 }, (_, index) => `case-${String(index).padStart(2, "0")}`);
        await Promise.all(ids.map((evalId) => store.addEvalCase(KEY, evalCase(evalId))));
        expect(await store.listEvalCases(KEY)).toEqual(ids);
      }),
    );

    it(
      "keep members that this kit does not know",
      withStore(async (store) => {
        await store.createEvalSet(KEY);
        const odd = {
          ...evalCase("a"),
          ui_extra: { invocationIndex: 1, snake_case: null },
          finalSessionState: { a_b: 1 },
        };
        await store.addEvalCase(KEY, odd);
        expect(await store.getEvalCase({ ...KEY, evalId: "a" })).toEqual(odd);
      }),
    );

    it(
      "may be led by a scenario",
      withStore(async (store) => {
        await store.createEvalSet(KEY);
        const scenario: EvalCase = {
          evalId: "a",
          conversationScenario: { startingPrompt: "hi", conversationPlan: "ask", userPersona: "NOVICE" },
        };
        await store.addEvalCase(KEY, scenario);
        expect(await store.getEvalCase({ ...KEY, evalId: "a" })).toEqual(scenario);
      }),
    );

    it(
      "are refused when they are malformed, and then nothing changes",
      withStore(async (store) => {
        await store.createEvalSet({ ...KEY, evalCases: [evalCase("a")] });
        const scenario = { startingPrompt: "hi", conversationPlan: "ask" };
        await expect(store.addEvalCase(KEY, { evalId: "b" })).rejects.toMatchObject({ reason: "INVALID_FIELD" });
        await expect(
          store.updateEvalCase(KEY, { ...evalCase("a"), conversationScenario: scenario }),
        ).rejects.toMatchObject({ reason: "INVALID_FIELD" });
        await expect(store.addEvalCase(KEY, evalCase(""))).rejects.toMatchObject({ reason: "INVALID_IDENTIFIER" });
        expect((await store.getEvalSet(KEY))?.evalCases).toEqual([evalCase("a")]);
      }),
    );

    it(
      "are not changed by what callers do with what they gave or got",
      withStore(async (store) => {
        const given = evalCase("a");
        await store.createEvalSet({ ...KEY, evalCases: [given] });
        Object.assign(given.sessionInput?.state ?? {}, { some_key: 2 });
        const got = await store.getEvalCase({ ...KEY, evalId: "a" });
        Object.assign(got?.sessionInput?.state ?? {}, { some_key: 3 });
        expect(await store.getEvalCase({ ...KEY, evalId: "a" })).toEqual(evalCase("a"));
      }),
    );
  });

  describe("results", () => {
    it(
      "are saved, listed by name and read by name or id",
      withStore(async (store) => {
        const plain = evalSetResult("app_smoke_1787140002.25");
        const odd = evalSetResult("my/app_smoke_2");
        await store.saveEvalSetResult({ appName: "app" }, plain);
        await store.saveEvalSetResult({ appName: "app" }, odd);
        expect(await store.listEvalSetResults({ appName: "app" })).toEqual([
          "app_smoke_1787140002.25",
          "my_app_smoke_2",
        ]);
        expect(await store.getEvalSetResult({ appName: "app" }, "app_smoke_1787140002.25")).toEqual(plain);
        expect(await store.getEvalSetResult({ appName: "app" }, "my/app_smoke_2")).toEqual(odd);
        expect(await store.getEvalSetResult({ appName: "app" }, "my_app_smoke_2")).toEqual(odd);
      }),
    );

    it(
      "take the place of those of the same name",
      withStore(async (store) => {
        await store.saveEvalSetResult({ appName: "app" }, evalSetResult("r"));
        await store.saveEvalSetResult({ appName: "app" }, evalSetResult("r", { evalCaseResults: [] }));
        expect(await store.listEvalSetResults({ appName: "app" })).toEqual(["r"]);
        expect(await store.getEvalSetResult({ appName: "app" }, "r")).toEqual(
          evalSetResult("r", { evalCaseResults: [] }),
        );
      }),
    );

    it(
      "belong to one app and outlive their set",
      withStore(async (store) => {
        await store.createEvalSet(KEY);
        await store.saveEvalSetResult({ appName: "app" }, evalSetResult("r"));
        await store.deleteEvalSet(KEY);
        expect(await store.listEvalSetResults({ appName: "app" })).toEqual(["r"]);
        expect(await store.listEvalSetResults({ appName: "other" })).toEqual([]);
        expect(await store.getEvalSetResult({ appName: "other" }, "r")).toBeUndefined();
        expect(await store.getEvalSetResult({ appName: "app" }, "../r")).toBeUndefined();
      }),
    );

    it(
      "may be larger than a document of a database, also in place of one that is",
      { timeout: 60_000 },
      withStore(async (store) => {
        const results = ["ü☀😀".repeat(400_000), "short", "😀".repeat(900_000)].map((long) => {
          const [one] = evalSetResult("r").evalCaseResults;
          return evalSetResult("r", {
            evalCaseResults: one === undefined ? [] : [{ ...one, sessionDetails: { long } }],
          });
        });
        for (const result of results) {
          await store.saveEvalSetResult({ appName: "app" }, result);
          expect(await store.getEvalSetResult({ appName: "app" }, "r")).toEqual(result);
        }
        expect(await store.listEvalSetResults({ appName: "app" })).toEqual(["r"]);
      }),
    );

    it(
      "may have names of any length and script",
      withStore(async (store) => {
        const names = ["日本_smoke_1", `${"n".repeat(256)}_smoke_1`, "A_s_1", "a_s_1", ".._s_1", "."];
        for (const name of names) await store.saveEvalSetResult({ appName: "app" }, evalSetResult(name));
        expect(await store.listEvalSetResults({ appName: "app" })).toEqual([...names].sort());
        for (const name of names)
          expect(await store.getEvalSetResult({ appName: "app" }, name)).toEqual(evalSetResult(name));
      }),
    );
  });
}
