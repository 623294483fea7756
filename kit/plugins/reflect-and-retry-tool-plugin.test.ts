import { describe, expect, it } from "vitest";
import { ToolContext } from "#kit/core/context/tool-context.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { createInvocation } from "#test/helpers/worlds/invocation.ts";
import type { JsonObject } from "../platform/json.ts";
import { functionCallResponse, ScriptedModel, type ScriptedStep } from "../testing/scripted-model.ts";
import { FunctionTool } from "../tools/function-tool.ts";
import {
  ReflectAndRetryToolPlugin,
  type ReflectAndRetryToolPluginOptions,
  RetryScope,
} from "./reflect-and-retry-tool-plugin.ts";

const call = (ok: boolean) => functionCallResponse("fetch", { ok });

async function createWorld(options: ReflectAndRetryToolPluginOptions, steps: readonly ScriptedStep[]) {
  const fetch = new FunctionTool({
    name: "fetch",
    description: "Fetches.",
    execute: ({ ok }) => {
      if (ok !== true) throw new RangeError("page 0 does not exist");
      return { pages: 1 };
    },
  });
  const model = new ScriptedModel(steps);
  const plugins = [new ReflectAndRetryToolPlugin(options)];
  const world = await createAgentWorld(new LlmAgent({ name: "helper", model, tools: [fetch] }), { plugins });
  const answers = async (): Promise<JsonObject[]> =>
    (await world.session()).events.flatMap(({ content }) =>
      (content?.parts ?? []).flatMap(({ functionResponse }) =>
        functionResponse?.response === undefined ? [] : [functionResponse.response],
      ),
    );
  return { ...world, answers };
}

/** The plugin alone: `fail` makes a tool fail in a session and returns the answer. */
function createPlugin(options: ReflectAndRetryToolPluginOptions) {
  const plugin = new ReflectAndRetryToolPlugin(options);
  const fail = (name = "fetch", sessionId = "s"): JsonObject => {
    const tool = new FunctionTool({ name, description: "Fetches.", execute: () => 1 });
    return plugin.onToolErrorCallback(tool, {}, new ToolContext(createInvocation({ sessionId })), new Error("no"));
  };
  return { plugin, fail };
}

describe("ReflectAndRetryToolPlugin", () => {
  it("reports to the model what failed and how often, and forgets it after a success", async () => {
    const world = await createWorld({}, [call(false), call(false), call(true), call(false), "done"]);
    await world.run("go");
    const [first, ...rest] = await world.answers();
    expect(first).toEqual({
      response_type: "ERROR_HANDLED_BY_REFLECT_AND_RETRY_PLUGIN",
      error_type: "RangeError",
      error_details: "page 0 does not exist",
      retry_count: 1,
      reflection_guidance: expect.stringContaining('{"ok":false}'),
    });
    expect(rest.map((answer) => answer["retry_count"])).toEqual([2, undefined, 1]);
  });

  it("instructs the model to do without the tool after the last retry, and the run continues", async () => {
    const world = await createWorld({ maxRetries: 1 }, [call(false), call(false), "sorry"]);
    expect((await world.run("go")).map(brief).at(-1)).toBe("helper: sorry");
    const guidance = (await world.answers()).map((answer) => String(answer["reflection_guidance"]));
    expect([guidance[0]?.includes("0 more tries"), guidance[1]?.includes("Do not call it again")]).toEqual([
      true,
      true,
    ]);
  });

  it("ends the run with the tool's error if that is configured, and the next turn works", async () => {
    const options = { maxRetries: 1, throwIfRetriesExceeded: true };
    const world = await createWorld(options, [call(false), call(false), "next"]);
    await expect(world.run("go")).rejects.toThrow("page 0 does not exist");
    expect((await world.run("again")).map(brief)).toEqual(["helper: next"]);
  });

  it("counts each run on its own, or all of them", async () => {
    const counts: unknown[] = [];
    for (const scope of [RetryScope.INVOCATION, RetryScope.GLOBAL]) {
      const world = await createWorld({ scope }, [call(false), "one", call(false), "two"]);
      await world.run("a");
      await world.run("b");
      counts.push((await world.answers()).map((answer) => answer["retry_count"]));
    }
    expect(counts).toEqual([
      [1, 1],
      [1, 2],
    ]);
  });

  it("takes a result for a failure when a function of the user's own says so", async () => {
    const world = await createWorld(
      { extractError: (_tool, _args, result) => (result["pages"] === 1 ? "too few" : undefined) },
      [call(true), "done"],
    );
    await world.run("go");
    expect((await world.answers())[0]).toMatchObject({ error_details: "too few", retry_count: 1 });
  });

  it("forgets the counts of a run at its end, also when the invocation continues with another run", () => {
    const tool = new FunctionTool({ name: "fetch", description: "Fetches.", execute: () => 1 });
    const context = new ToolContext(createInvocation());
    const plugin = new ReflectAndRetryToolPlugin();
    const fail = () => plugin.onToolErrorCallback(tool, {}, context, new Error("no"))["retry_count"];
    expect([fail(), fail()]).toEqual([1, 2]);
    plugin.afterRunCallback(context.invocationContext);
    expect(fail()).toBe(1);
  });

  it("returns the result of a tool that never failed", async () => {
    const world = await createWorld({}, [call(true), "done"]);
    expect((await world.run("go")).map(brief).at(-1)).toBe("helper: done");
  });

  it("says how many tries are left", () => {
    const { fail } = createPlugin({ maxRetries: 2 });
    const guidance = [fail(), fail()].map((answer) => String(answer["reflection_guidance"]).split("tool. ")[1]);
    expect(guidance).toEqual(["1 more try is left.", "0 more tries are left."]);
  });

  it("counts concurrent runs separately", () => {
    const { fail } = createPlugin({});
    const counts = ["s", "t", "s"].map((sessionId) => fail("fetch", sessionId)["retry_count"]);
    expect(counts).toEqual([1, 1, 2]);
  });

  it("forgets the tool that failed first when more than 1000 failed", () => {
    const { fail } = createPlugin({ scope: RetryScope.GLOBAL });
    for (let index = 0; index < 1000; index += 1) fail(`tool_${index}`);
    const counts = ["tool_0", "one_more", "tool_1", "tool_0"].map((name) => fail(name)["retry_count"]);
    expect(counts).toEqual([2, 1, 2, 1]);
  });

  it("keeps the counts of all runs when they are global", () => {
    const tool = new FunctionTool({ name: "fetch", description: "Fetches.", execute: () => 1 });
    const context = new ToolContext(createInvocation());
    const plugin = new ReflectAndRetryToolPlugin({ scope: RetryScope.GLOBAL });
    const fail = () => plugin.onToolErrorCallback(tool, {}, context, new Error("no"))["retry_count"];
    fail();
    plugin.afterRunCallback(context.invocationContext);
    expect(fail()).toBe(2);
  });
});
