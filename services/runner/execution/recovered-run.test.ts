import { describe, expect, it } from "vitest";
import type { RunRecord, RunRequest } from "#kit/sessions/run-record.ts";
import { abortUnlessRecoverable, recoveryKind, resumptionScope } from "./recovered-run.ts";

function recordOf(overrides: Partial<RunRecord> = {}): RunRecord {
  return {
    runId: "run",
    session: { appName: "app", userId: "ada", id: "talk" },
    invocationId: "i",
    request: { newMessage: { parts: [{ text: "hi" }] } },
    status: "running",
    policy: "enqueue",
    attempts: 2,
    epoch: 2,
    createdTime: 0,
    cancelRequested: false,
    baseRevision: 0,
    ...overrides,
  };
}

/** The time at which the records were created. */
const NOW = 0;

describe("the call scope of a recovered run", () => {
  it("has no principal, and the trace of its first request where it has one", () => {
    expect(resumptionScope(recordOf())).toEqual({ credentials: {} });
    expect(resumptionScope(recordOf({ request: { traceParent: "00-1-2-01" } }))).toEqual({
      credentials: {},
      traceParent: "00-1-2-01",
    });
  });
});

describe("a recovered run", () => {
  it.each([
    ["started", 1, undefined],
    ["resumed", 2, undefined],
    ["resumed", 3, undefined],
    ["exhausted", 4, undefined],
    ["handed-over", 2, 1],
    ["handed-over", 9, 8],
    ["resumed", 9, 6],
    ["exhausted", 9, 5],
  ])("is %s with %i attempts and %s handovers", (kind, attempts, handovers) => {
    const run = recordOf({ attempts, ...(handovers !== undefined && { handovers }) });
    expect(recoveryKind(run, { MAX_RUN_ATTEMPTS: 3 }, NOW)).toBe(kind);
  });

  it("may lose one more runner for each ten minutes if it is a conversation", () => {
    const kinds = [3, 4, 5, 6].map((attempts) => {
      const kindOf = (request: RunRequest) =>
        recoveryKind(recordOf({ attempts, request }), { MAX_RUN_ATTEMPTS: 3 }, NOW + 1_500_000);
      return [kindOf({ live: {} }), kindOf({})];
    });
    expect(kinds).toEqual([
      ["resumed", "resumed"],
      ["resumed", "exhausted"],
      ["resumed", "exhausted"],
      ["exhausted", "exhausted"],
    ]);
  });

  const withoutInput: RunRequest = { streaming: true };
  const CONTINUES = [undefined, undefined];
  const LOST = ["RUN_INTERRUPTED", "The process that executed the run was lost before the run ended."];

  it.each<[string, Partial<RunRecord>, "resume" | "interrupt", unknown]>([
    ["continues with a stored message", {}, "resume", CONTINUES],
    ["continues with an invocation to resume", { request: { invocationId: "i" } }, "resume", CONTINUES],
    ["ends without stored input", { request: withoutInput }, "resume", LOST],
    ["ends without stored input when it was handed over", { request: withoutInput, handovers: 1 }, "resume", LOST],
    ["begins without stored input when it never ran", { request: withoutInput, attempts: 1 }, "resume", CONTINUES],
    ["ends where lost runs are ended", {}, "interrupt", LOST],
    ["continues where lost runs are ended when it was handed over", { handovers: 1 }, "interrupt", CONTINUES],
    [
      "ends when it lost its runner too often",
      { attempts: 5 },
      "resume",
      ["RUN_ATTEMPTS_EXHAUSTED", "The run lost its runner 4 times and is not executed again."],
    ],
  ])("%s", (_name, overrides, ON_ABANDONED_RUN, ended) => {
    const abort = new AbortController();
    abortUnlessRecoverable({ abort, record: recordOf(overrides) }, { MAX_RUN_ATTEMPTS: 3, ON_ABANDONED_RUN }, NOW);
    const { reason, message } = abort.signal.aborted ? abort.signal.reason : {};
    expect([reason, message]).toEqual(ended);
  });

  it("counts one lost runner in the singular", () => {
    const abort = new AbortController();
    const config = { MAX_RUN_ATTEMPTS: 1, ON_ABANDONED_RUN: "resume" } as const;
    abortUnlessRecoverable({ abort, record: recordOf() }, config, NOW);
    expect(abort.signal.reason).toMatchObject({
      message: "The run lost its runner 1 time and is not executed again.",
    });
  });
});
