import { describe, expect, it } from "vitest";
import { SequentialAgent } from "#kit/agents/sequential-agent.ts";
import { BaseCodeExecutor, type CodeExecutorOptions } from "#kit/code-executors/base-code-executor.ts";
import { BuiltInCodeExecutor } from "#kit/code-executors/built-in-code-executor.ts";
import type { CodeExecutionInput, CodeExecutionResult } from "#kit/core/code-executor.ts";
import { CallbackContext } from "#kit/core/context/callback-context.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { createEvent, type Event } from "#kit/events/event.ts";
import type { LlmAgentOptions } from "#kit/llm-agent/base/base-llm-agent.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import type { JsonValue } from "#kit/platform/json.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { createStep } from "#test/helpers/worlds/step.ts";
import { codeExecutionResponse } from "./code-execution.ts";

/** Answers each execution with the next outcome, and records what it was given. */
class ScriptedExecutor extends BaseCodeExecutor {
  readonly inputs: CodeExecutionInput[] = [];
  readonly #outcomes: readonly (Partial<CodeExecutionResult> | Error)[];

  constructor(outcomes: readonly (Partial<CodeExecutionResult> | Error)[], options: CodeExecutorOptions = {}) {
    super(options);
    this.#outcomes = outcomes;
  }

  override async executeCode(input: CodeExecutionInput): Promise<CodeExecutionResult> {
    const outcome = this.#outcomes[this.inputs.push(input) - 1];
    if (outcome === undefined || outcome instanceof Error) throw outcome ?? new Error("no outcome is left");
    return { stdout: "", stderr: "", outputFiles: [], ...outcome };
  }
}

const block = (code: string) => `Compute:\n\`\`\`tool_code\n${code}\n\`\`\`\n`;
const base64 = (text: string) => Buffer.from(text).toString("base64");

async function worldOf(model: ScriptedModel, codeExecutor: LlmAgentOptions["codeExecutor"], options: object = {}) {
  return createAgentWorld(
    new LlmAgent({ name: "helper", model, ...(codeExecutor !== undefined && { codeExecutor }), ...options }),
  );
}

describe("code that a model writes", () => {
  it("is run, and the model gets its output in the form of text", async () => {
    verifies(
      "agents:llm:code-executor",
      "what-the-service-does:kit-code-executors",
      "records:code-execution-input:code",
      "records:code-execution-result",
    );
    const model = new ScriptedModel([`${block("print(6*7)")}I guess 41.`, "It is 42."]);
    const executor = new ScriptedExecutor([{ stdout: "42\n" }]);
    const world = await worldOf(model, executor, { outputKey: "said" });
    const events = await world.run("compute");
    expect(events.map(({ content }) => content)).toEqual([
      {
        role: "model",
        parts: [{ text: "Compute:\n" }, { executableCode: { code: "print(6*7)", language: "PYTHON" } }],
      },
      {
        role: "model",
        parts: [{ codeExecutionResult: { outcome: "OUTCOME_OK", output: "Code execution result:\n42\n\n" } }],
      },
      { role: "model", parts: [{ text: "It is 42." }] },
    ]);
    expect(events.map(({ actions }) => actions.stateDelta)).toEqual([
      {},
      { _code_execution_context: {} },
      { said: "It is 42." },
    ]);
    expect(executor.inputs).toEqual([{ code: "print(6*7)", inputFiles: [] }]);
    expect(model.requests[1]?.contents.slice(1)).toEqual([
      { role: "model", parts: [{ text: "Compute:\n" }, { text: "```tool_code\nprint(6*7)\n```" }] },
      { role: "user", parts: [{ text: "```tool_output\nCode execution result:\n42\n\n\n```" }] },
    ]);
  });

  it("is not run in an agent without an executor, nor beside calls", async () => {
    const world = await worldOf(new ScriptedModel([block("1")]), undefined);
    expect((await world.run("go")).map(brief)).toEqual([`helper: ${block("1")}`]);
    const executor = new ScriptedExecutor([]);
    const called = { content: { role: "model", parts: [{ text: block("1") }, { functionCall: { name: "none" } }] } };
    await (await worldOf(new ScriptedModel([called, "ok"]), executor)).run("go");
    expect(executor.inputs).toEqual([]);
  });

  it.each([
    [0, 1],
    [1, 2],
    [2, 3],
  ])("may be tried again %i times after consecutive failures", async (errorRetryAttempts, executions) => {
    verifies("limits:code-executor-retries");
    const model = new ScriptedModel([block("raise")], { repeatLast: true });
    const executor = new ScriptedExecutor(Array(9).fill({ stderr: "no" }), { errorRetryAttempts });
    const world = await worldOf(model, executor);
    const events = await world.run("go");
    expect(executor.inputs.length).toBe(executions);
    const outputs = events.flatMap(({ content }) => content?.parts?.[0]?.codeExecutionResult ?? []);
    expect(outputs.map(({ outcome }) => outcome)).toEqual(Array(executions).fill("OUTCOME_FAILED"));
    expect(outputs.map(({ output }) => output?.includes("No more code is run"))).toEqual(
      outputs.map((_, index) => index === executions - 1),
    );
    // Code that is not run stays text.
    expect(events.at(-1)?.content?.parts).toEqual([{ text: block("raise") }]);
    await world.run("again");
    expect(executor.inputs.length).toBe(2 * executions);
    expect((await world.session()).state).toEqual({ _code_execution_context: {} });
  });

  it("counts each agent's own failures, and removes counts that earlier versions kept in the state", async () => {
    const failing = (name: string) => {
      const codeExecutor = new ScriptedExecutor(Array(9).fill({ stderr: "no" }), { errorRetryAttempts: 0 });
      const agent = new LlmAgent({ name, model: new ScriptedModel([block("raise"), "sorry"]), codeExecutor });
      return { agent, codeExecutor };
    };
    const [first, second] = [failing("first"), failing("second")];
    const subAgents = [first.agent, second.agent];
    const world = await createAgentWorld(new SequentialAgent({ name: "both", subAgents }));
    await world.run("go", {}, { _code_executor_error_counts: { old: 3 } });
    expect([first, second].map(({ codeExecutor }) => codeExecutor.inputs.length)).toEqual([1, 1]);
    expect((await world.session()).state).toEqual({ _code_execution_context: {} });
  });

  it("starts its tries anew after a success", async () => {
    const model = new ScriptedModel([...Array(5).fill(block("x")), "done"]);
    const failure = { stderr: "no" };
    const executor = new ScriptedExecutor([failure, { stdout: "1" }, failure, failure, { stdout: "2" }]);
    const world = await worldOf(model, executor);
    expect((await world.run("go")).map(brief).at(-1)).toBe("helper: done");
    expect((await world.session()).state).toEqual({ _code_execution_context: {} });
  });

  it.each<[string, Partial<CodeExecutionResult> | Error, object]>([
    [
      "warns",
      { stdout: "1", stderr: "old", outcome: "ok" },
      { outcome: "OUTCOME_OK", output: "Code execution result:\n1\n\n\nWarnings:\nold\n" },
    ],
    ["fails", { stdout: "1", stderr: "boom" }, { outcome: "OUTCOME_FAILED", output: "boom\n\nPrinted before:\n1" }],
    [
      "takes too long",
      { stderr: "late", outcome: "timed-out" },
      { outcome: "OUTCOME_DEADLINE_EXCEEDED", output: "late" },
    ],
    ["breaks its executor", new Error("lost"), { outcome: "OUTCOME_FAILED", output: "lost" }],
  ])("that %s is reported with its outcome", async (_, outcome, part) => {
    const world = await worldOf(new ScriptedModel([block("x"), "ok"]), new ScriptedExecutor([outcome]));
    expect((await world.run("go"))[1]?.content?.parts).toEqual([{ codeExecutionResult: part }]);
  });

  it("ends the run with a stored event when it cannot be run at all, and the next turn works", async () => {
    const missing = new PlatformError("CODE_EXECUTOR_UNAVAILABLE", "No engine.");
    const world = await worldOf(new ScriptedModel([block("x"), "hi"]), new ScriptedExecutor([missing]));
    await expect(world.run("go")).rejects.toMatchObject({ details: { reason: "CODE_EXECUTOR_UNAVAILABLE" } });
    expect((await world.session()).events.at(-1)).toMatchObject({ errorMessage: "No engine." });
    expect((await world.run("hello")).map(brief)).toEqual(["helper: hi"]);
  });

  it("has the files that it writes saved as artifacts", async () => {
    verifies("records:code-execution-file:name", "records:code-execution-file:content");
    const outputFiles = [{ name: "plot.png", content: base64("png"), mimeType: "image/png" }];
    const world = await worldOf(new ScriptedModel([block("plot()"), "ok"]), new ScriptedExecutor([{ outputFiles }]));
    const [, result] = await world.run("go");
    expect(result?.content?.parts?.[0]?.codeExecutionResult?.output).toBe("Saved artifacts:\n`plot.png`");
    expect(result?.actions.artifactDelta).toEqual({ "plot.png": 0 });
    const session = { appName: "app", userId: "ada", id: "talk" };
    expect((await world.artifacts.loadArtifact({ session, filename: "plot.png" }))?.inlineData).toMatchObject({
      mimeType: "image/png",
      data: base64("png"),
    });
  });

  it("shares variables within a session by an id that names app, user and session, whatever the state says", async () => {
    verifies("records:code-execution-input:execution-id");
    const executor = new ScriptedExecutor([{ stdout: "1" }, { stdout: "2" }], { stateful: true });
    const world = await worldOf(new ScriptedModel([block("a=1"), "ok", block("a"), "ok"]), executor);
    await world.run("go");
    await world.run("go", {}, { _code_execution_context: { execution_session_id: "app/eve/talk" } });
    expect(executor.inputs.map(({ executionId }) => executionId)).toEqual(["app/ada/talk", "app/ada/talk"]);
    expect((await world.session()).state).toEqual({
      _code_execution_context: { execution_session_id: "app/ada/talk" },
    });
  });
});

describe("the span of an execution", () => {
  it("has the error of an executor that failed", async () => {
    const errors: unknown[] = [];
    for (const outcome of [{ stdout: "42" }, new Error("broke")]) {
      const world = await worldOf(new ScriptedModel([block("x"), "ok"]), new ScriptedExecutor([outcome]));
      await world.run("go");
      errors.push(world.spans.filter(({ name }) => name === "execute_code").map(({ error }) => error));
    }
    expect(errors).toEqual([[undefined], ["Error: broke"]]);
  });
});

describe("data files of the user", () => {
  const csv = { inlineData: { mimeType: "text/csv", data: base64("a,b\n1,2\n") } };
  const message = { role: "user", parts: [{ text: "Sum it." }, csv, csv] };

  it("are handed to the code under a name, explored once, and not sent to the model", async () => {
    verifies("records:code-execution-input:input-files");
    const executor = new ScriptedExecutor([{ stdout: "1 rows" }, { stdout: "3" }, { stdout: "4" }], {
      optimizeDataFile: true,
    });
    const model = new ScriptedModel([block("sum()"), "It is 3.", block("more()"), "It is 4."]);
    const world = await worldOf(model, executor);
    const events = await world.run(message);
    expect(events.map(({ content }) => content?.parts?.map((part) => Object.keys(part)[0]).join())).toEqual([
      "text,executableCode",
      "codeExecutionResult",
      "text,executableCode",
      "codeExecutionResult",
      "text",
    ]);
    await world.run("And now?");
    const files = [{ name: "data_1.csv", mimeType: "text/csv", content: csv.inlineData.data }];
    expect(executor.inputs.map(({ inputFiles }) => inputFiles)).toEqual([files, files, files]);
    expect(executor.inputs[0]?.code).toContain('open("data_1.csv"');
    const name = { text: "\nAvailable file: `data_1.csv`\n" };
    expect(model.requests.map(({ contents }) => contents[0]?.parts)).toEqual(
      Array(4).fill([{ text: "Sum it." }, name, name]),
    );
    expect((await world.session()).state["_code_execution_context"]).toEqual({ processed_input_files: ["data_1.csv"] });
    // The bytes are kept where listings do not show them.
    expect(JSON.stringify((await world.session()).state)).not.toContain(csv.inlineData.data);
  });

  it("stay in the message when the executor does not ask for them", async () => {
    const executor = new ScriptedExecutor([]);
    const model = new ScriptedModel(["ok"]);
    await (await worldOf(model, executor)).run(message);
    expect(model.requests[0]?.contents[0]?.parts).toEqual(message.parts);
    expect(executor.inputs).toEqual([]);
  });

  it("are explored also where they are too large to stay in the message", async () => {
    const large = { inlineData: { mimeType: "text/csv", data: base64("1,2\n".repeat(100_000)) } };
    const executor = new ScriptedExecutor([{ stdout: "many rows" }], { optimizeDataFile: true });
    const model = new ScriptedModel(["Many."]);
    const world = await worldOf(model, executor);
    await world.run({ role: "user", parts: [large] });
    expect(executor.inputs[0]?.inputFiles).toEqual([
      { name: "data_1.csv", mimeType: "text/csv", content: large.inlineData.data },
    ]);
    expect(model.requests[0]?.contents[0]?.parts).toEqual([{ text: "\nAvailable file: `data_1.csv`\n" }]);
  });

  it("cannot be forged by the state into names that lead out of the folder", async () => {
    const executor = new ScriptedExecutor([{ stdout: "1" }], { optimizeDataFile: true });
    const world = await worldOf(new ScriptedModel([block("x"), "ok"]), executor);
    const forged: JsonValue[] = [
      { name: "../evil", digest: "d", content: "AA==" },
      { name: "a.csv", digest: "d", artifact: "secret" },
      5,
    ];
    await world.run("go", {}, { _code_executor_input_files: forged });
    expect(executor.inputs).toEqual([{ code: "x", inputFiles: [] }]);
  });
});

describe("code that the model runs itself", () => {
  it("is asked for in the request, once, and its parts stay as they are", async () => {
    const parts = [
      { executableCode: { code: "print(1)", language: "PYTHON" } },
      { codeExecutionResult: { outcome: "OUTCOME_OK", output: "1" } as const },
      { text: "It is 1." },
    ];
    const model = new ScriptedModel([{ content: { role: "model", parts } }, "ok"], {
      model: "models/gemini-2.5-flash",
    });
    const generateContentConfig = { modelTools: [{ googleSearch: {} }] };
    const world = await worldOf(model, new BuiltInCodeExecutor(), { generateContentConfig });
    expect((await world.run("go")).map(({ content }) => content?.parts)).toEqual([parts]);
    await world.run("again");
    const modelTools = [{ googleSearch: {} }, { codeExecution: {} }];
    expect(model.requests.map(({ config }) => config)).toEqual([{ modelTools }, { modelTools }]);
    expect(model.requests[1]?.contents[1]?.parts).toEqual(parts);
  });

  it.each(["claude-sonnet-4-5", "gpt-5", "gemini-1.5-pro"])("is refused for %s, which runs none", async (name) => {
    const world = await worldOf(new ScriptedModel(["x"], { model: name }), new BuiltInCodeExecutor());
    await expect(world.run("go")).rejects.toMatchObject({
      details: { reason: "MODEL_TOOL_UNSUPPORTED" },
      message: `The model "${name}" runs no code itself: use a Gemini model from 2 on, or a ContainerCodeExecutor.`,
    });
  });
});

describe("an answer with code", () => {
  const executor = new ScriptedExecutor([], { errorRetryAttempts: 0 });
  const answer = { content: { role: "model", parts: [{ text: block("1") }] } };

  function rewritten(response: LlmResponse, codeExecutor: LlmAgentOptions["codeExecutor"] = executor) {
    const agent = new LlmAgent({ name: "helper", ...(codeExecutor !== undefined && { codeExecutor }) });
    const step = createStep({ agent });
    return codeExecutionResponse.rewrite(step, response, new CallbackContext(step.context));
  }

  it.each<[string, LlmResponse]>([
    ["a chunk", { ...answer, partial: true }],
    ["an error", { ...answer, errorCode: "MAX_TOKENS" }],
    ["no content", { errorCode: "SAFETY" }],
    ["no content and no error", {}],
    ["no parts", { content: { role: "model" } }],
  ])("stays as it is: %s", (_, response) => expect(rewritten(response)).toBe(response));

  it("ends with the code, unless the model runs code itself", async () => {
    const keys = (response: LlmResponse) => response.content?.parts?.map((part) => Object.keys(part)[0]);
    expect(keys(await rewritten(answer))).toEqual(["text", "executableCode"]);
    expect(rewritten(answer, new BuiltInCodeExecutor())).toBe(answer);
  });

  it.each<[string, Partial<Event>, boolean]>([
    ["runs", {}, true],
    ["does not run behind an error", { errorCode: "MAX_TOKENS" }, false],
    ["does not run in a chunk", { partial: true }, false],
    ["is not there without parts", { content: { parts: [] } }, false],
    ["is not there in a content of nothing", { content: {} }, false],
  ])("%s", (_, extra, runs) => {
    const content = { role: "model", parts: [{ executableCode: { code: "1", language: "PYTHON" } }] };
    const event = createEvent({ id: "e", invocationId: "i", author: "helper", timestamp: 0, content, ...extra });
    const agent = new LlmAgent({ name: "helper", codeExecutor: executor });
    const step = createStep({ agent });
    expect(codeExecutionResponse.followUp?.(step, event) !== undefined).toBe(runs);
    const failed = { codeExecutionResult: { outcome: "OUTCOME_FAILED", output: "" } } as const;
    const before = { ...event, content: { role: "model", parts: [failed] } };
    const noMore = createStep({ agent, events: [before] });
    expect(codeExecutionResponse.followUp?.(noMore, event)).toBeUndefined();
  });
});
