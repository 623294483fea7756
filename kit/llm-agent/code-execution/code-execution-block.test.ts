import { describe, expect, it } from "vitest";
import { BaseCodeExecutor, type CodeExecutorOptions } from "#kit/code-executors/base-code-executor.ts";
import type { CodeExecutionInput, CodeExecutionResult } from "#kit/core/code-executor.ts";
import { createEvent, type Event } from "#kit/events/event.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { createInvocation, type InvocationOptions } from "#test/helpers/worlds/invocation.ts";
import { executeBlock, mayExecute } from "./code-execution-block.ts";

class OneResult extends BaseCodeExecutor {
  readonly inputs: CodeExecutionInput[] = [];
  readonly #result: Partial<CodeExecutionResult> | Error;

  constructor(result: Partial<CodeExecutionResult> | Error, options: CodeExecutorOptions = {}) {
    super(options);
    this.#result = result;
  }

  override async executeCode(input: CodeExecutionInput): Promise<CodeExecutionResult> {
    this.inputs.push(input);
    if (this.#result instanceof Error) throw this.#result;
    return { stdout: "", stderr: "", outputFiles: [], ...this.#result };
  }
}

async function resultOf(executor: OneResult, options: InvocationOptions = {}) {
  const events = await Array.fromAsync(executeBlock(createInvocation(options), executor, "x"));
  return events[0]?.content?.parts?.[0]?.codeExecutionResult;
}

function ran(outcome: "OUTCOME_OK" | "OUTCOME_FAILED", extra: Partial<Event> = {}): Event {
  const content = { role: "model", parts: [{ text: "" }, { codeExecutionResult: { outcome, output: "" } }] };
  return createEvent({ id: "e", invocationId: "i", author: "helper", timestamp: 0, content, ...extra });
}

const failed = ran("OUTCOME_FAILED");
const file = { name: "a.txt", content: "AA==" };
const notKept = "These files were written and not kept, for there is no place for them: `a.txt`";

describe("the result of code", () => {
  it.each<[Partial<CodeExecutionResult>, string, string]>([
    [{}, "OUTCOME_OK", "Code execution result:\n\n"],
    [{ stdout: "4" }, "OUTCOME_OK", "Code execution result:\n4\n"],
    [{ outputFiles: [file] }, "OUTCOME_OK", notKept],
    [{ stdout: "4", outputFiles: [file] }, "OUTCOME_OK", `Code execution result:\n4\n\n\n${notKept}`],
    [{ stderr: "w", outcome: "ok" }, "OUTCOME_OK", "Code execution result:\n\n\n\nWarnings:\nw\n"],
    [{ stderr: "boom" }, "OUTCOME_FAILED", "boom"],
    [{ outcome: "failed" }, "OUTCOME_FAILED", "The code failed."],
    [{ stdout: "4", outcome: "timed-out" }, "OUTCOME_DEADLINE_EXCEEDED", "The code failed.\n\nPrinted before:\n4"],
  ])("%j is %s", async (result, outcome, output) => {
    expect(await resultOf(new OneResult(result))).toEqual({ outcome, output });
  });

  it("says after the last try that no more code is run", async () => {
    const executor = new OneResult({ stderr: "boom" }, { errorRetryAttempts: 1 });
    expect((await resultOf(executor))?.output).toBe("boom");
    expect((await resultOf(executor, { events: [failed] }))?.output).toMatch(/^boom\n\nNo more code is run/);
  });

  it("is the end of the run if the run was aborted", async () => {
    const signal = AbortSignal.abort(new Error("aborted"));
    await expect(resultOf(new OneResult(new Error("killed")), { signal })).rejects.toThrow("aborted");
  });

  it("comes from an execution of its own, unless the executor keeps variables", async () => {
    verifies("records:code-execution-input:execution-id");
    const [fresh, stateful] = [new OneResult({}), new OneResult({}, { stateful: true })];
    const context = createInvocation();
    const [first] = await Array.fromAsync(executeBlock(context, fresh, "x"));
    const [second] = await Array.fromAsync(executeBlock(context, stateful, "x"));
    expect(fresh.inputs).toEqual([{ code: "x", inputFiles: [] }]);
    expect(stateful.inputs).toStrictEqual([{ code: "x", inputFiles: [], executionId: "app/u/s" }]);
    expect(first?.actions.stateDelta).toStrictEqual({ _code_execution_context: {} });
    expect(second?.actions.stateDelta).toStrictEqual({ _code_execution_context: { execution_session_id: "app/u/s" } });
  });
});

it("shares the variables of a stateful executor with no other tenant, app, user or session", async () => {
  const owners: readonly InvocationOptions[] = [
    {},
    { owner: { tenantId: "acme" } },
    { owner: { tenantId: "globex" } },
    { owner: { appName: "other" } },
    { owner: { userId: "eve" } },
    { sessionId: "other" },
    // Names that could be mistaken for the parts of another id.
    { owner: { appName: "acme", userId: "app/u" } },
    { owner: { userId: "u/s" } },
  ];
  const executor = new OneResult({}, { stateful: true });
  for (const owner of owners) await resultOf(executor, owner);
  await resultOf(executor, { owner: { tenantId: "default" } });
  const ids = executor.inputs.map(({ executionId }) => executionId);
  expect(new Set(ids).size).toBe(owners.length);
  // Names without a tenant are those of the default tenant.
  expect(ids.at(-1)).toBe(ids[0]);
});

describe("whether code may be run after a failure, without any more tries", () => {
  const executor = new OneResult({}, { errorRetryAttempts: 0 });

  it.each<[string, boolean, readonly Event[]]>([
    ["in a new invocation", true, []],
    ["after a failure", false, [failed]],
    ["after a failure that is the first event", false, [failed, ran("OUTCOME_OK", { author: "other" })]],
    ["after a success behind a failure", true, [failed, ran("OUTCOME_OK")]],
    ["after another agent's failure", true, [ran("OUTCOME_FAILED", { author: "other" })]],
    ["after a failure on another branch", true, [ran("OUTCOME_FAILED", { branch: "a" })]],
    [
      "after a failure in another invocation",
      true,
      [{ ...failed, invocationId: "earlier" }, ran("OUTCOME_OK", { author: "other" })],
    ],
    [
      "after a failure, and a change of the client with an invocation id of its own",
      false,
      [failed, createEvent({ id: "u", invocationId: "client", author: "user", timestamp: 0 })],
    ],
    ["after a failure, and an event without parts", false, [failed, ran("OUTCOME_OK", { content: { role: "model" } })]],
    [
      "after a failure, and an event with an empty content",
      false,
      [failed, ran("OUTCOME_OK", { content: { parts: [] } })],
    ],
    [
      "after a failure, and a change of state",
      false,
      [failed, createEvent({ id: "s", invocationId: "i", author: "helper", timestamp: 0 })],
    ],
    [
      "after a failure before an event of another invocation",
      true,
      [failed, ran("OUTCOME_OK", { invocationId: "other", author: "other" })],
    ],
  ])("%s: %s", (_, expected, events) => {
    expect(mayExecute(createInvocation({ events }), executor)).toBe(expected);
  });
});
