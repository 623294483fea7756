import { describe, expect, it } from "vitest";
import type { ToolContext } from "#kit/core/context/tool-context.ts";
import { modelContent } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { BaseLlm } from "#kit/models/base-llm.ts";
import type { JsonValue } from "#kit/platform/json.ts";
import { functionCallResponse } from "#kit/testing/scripted-model.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { startServerWorld } from "#test/helpers/worlds/server-world.ts";

/** Calls the tool, records its response, and answers "well" from the next turn on. */
const model: BaseLlm = {
  model: "plain",
  async *generateContentAsync({ contents }) {
    const newest = contents.at(-1)?.parts?.[0]?.text;
    if (newest === "go") yield functionCallResponse("act");
    else yield { content: modelContent(newest === "still there?" ? "well" : "I see") };
  },
};

function circular(): object {
  const value: { self?: object } = {};
  value.self = value;
  return value;
}

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

function raise(thrown: unknown): never {
  throw thrown;
}

/** Values that plain JavaScript may write. */
function setState(context: ToolContext, value: unknown): string {
  context.state.set("key", value as JsonValue);
  return "ok";
}

type Act = (context: ToolContext) => unknown;

const HANG_MS = 20;

function hang(): Promise<never> {
  return new Promise(() => {});
}

/** The tool's behaviour, and the response that the model gets. */
const REPORTED: readonly (readonly [string, Act, object])[] = [
  ["throws", () => raise(new Error("it broke")), { error: "it broke" }],
  ["throws undefined", () => raise(undefined), { error: "undefined" }],
  ["throws what has no text", () => raise(Object.create(null)), { error: "a value of type object was thrown" }],
  ["throws an error without a message", () => raise(new TypeError()), { error: "TypeError" }],
  ["rejects", () => Promise.reject(new Error("late")), { error: "late" }],
  [
    "hangs",
    hang,
    { error: `The tool act did not answer within ${HANG_MS} ms and was stopped; whether it took effect is unknown.` },
  ],
  [
    "gives 50 MB",
    () => "x".repeat(50_000_000),
    problemOf("it is longer than 1000000 characters. Give less, or save it as an artifact."),
  ],
  [
    "gives 50 MB in many rows",
    () => ({ rows: Array.from({ length: 1_000_000 }, () => "fifty characters, more or less, for each row of it") }),
    problemOf("it is longer than 1000000 characters. Give less, or save it as an artifact."),
  ],
  ["gives what contains itself", circular, problemOf("it contains itself, which JSON cannot say.")],
  [
    "gives what is nested too deep",
    () => nested(5000),
    problemOf("it is nested deeper than 200 levels. Give a flatter one."),
  ],
  ["gives a BigInt", () => ({ n: 1n }), problemOf("it holds a BigInt, which JSON has not. Give it as a string.")],
  [
    "gives bytes",
    () => Buffer.from("abc"),
    problemOf("it holds bytes. Save them as an artifact, or give them as base64."),
  ],
  ["gives what throws when it is read", () => ({ toJSON: () => raise(new Error("no")) }), problemOf("no")],
  ["gives a function", () => () => 1, { result: null }],
  ["gives numbers that JSON has not", () => ({ n: Number.NaN }), { n: null }],
  [
    "saves under a name that is none",
    (context) => context.saveArtifact("a\u0000b", { text: "x" }),
    { error: "filename has a control character. Remove it." },
  ],
];

function problemOf(problem: string): object {
  return { error: `The tool's result cannot be used: ${problem}` };
}

/** The tool's behaviour, and the error with which the run ends. */
const ENDED: readonly (readonly [string, Act, RegExp])[] = [
  ["writes what contains itself to the state", (context) => setState(context, circular()), /TypeError: .*circular/],
  ["writes a BigInt to the state", (context) => setState(context, 1n), /TypeError: .*BigInt/],
  [
    "transfers to an unknown agent",
    ({ actions }) => void (actions.transferToAgent = "nobody"),
    /AGENT_NOT_FOUND: Agent "helper" may not hand over to "nobody"/,
  ],
];

/** Longer than any tool takes that answers. */
const LONG_MS = 60_000;

async function storedAfter(act: Act, timeoutMs = LONG_MS): Promise<readonly string[]> {
  const tool = new FunctionTool({
    name: "act",
    description: "Acts.",
    timeoutMs,
    execute: (_args, context) => act(context),
  });
  await using world = await startServerWorld({ agent: new LlmAgent({ name: "helper", model, tools: [tool] }) });
  await world.say("go");
  await world.say("still there?");
  return world.stored();
}

describe("a tool that", () => {
  it.each(REPORTED)("%s: the model gets an error, and the run continues", async (_case, act, response) => {
    expect(await storedAfter(act, act === hang ? HANG_MS : LONG_MS)).toEqual([
      ...["user: go", "helper: act({})", `helper: act -> ${JSON.stringify(response)}`, "helper: I see"],
      ...["user: still there?", "helper: well"],
    ]);
  });

  it.each(ENDED)("%s: the run ends with a stored error, and the next one works", async (_case, act, error) => {
    const stored = await storedAfter(act);
    expect(stored.slice(0, 2)).toEqual(["user: go", "helper: act({})"]);
    expect(stored.slice(2)).toEqual([
      expect.stringMatching(/^helper: act -> /),
      expect.stringMatching(new RegExp(`^helper: ! (INTERNAL: )?${error.source}`)),
      ...["user: still there?", "helper: well"],
    ]);
  });

  it("hangs without a limit of its own: the run's limit ends it, and the call has its response", async () => {
    const tool = new FunctionTool({ name: "act", description: "Acts.", execute: () => new Promise(() => {}) });
    const agent = new LlmAgent({ name: "helper", model, tools: [tool] });
    await using world = await startServerWorld({ agent, settings: { RUN_TIMEOUT_MS: "3000" } });
    expect((await world.say("go")).status).toBe(504);
    await world.say("still there?");
    expect(await world.stored()).toEqual([
      ...["user: go", "helper: act({})", expect.stringMatching(/^helper: act -> \{"error":/)],
      "helper: ! RUN_TIMED_OUT: The run took longer than its limit.",
      ...["user: still there?", "helper: well"],
    ]);
  });
});
