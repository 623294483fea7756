import { describe, expect, it } from "vitest";
import { BaseTool } from "#kit/core/base-tool.ts";
import type { CallbackContext } from "#kit/core/context/callback-context.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import type { ToolContext } from "#kit/core/context/tool-context.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { AGENT_HOOKS } from "#test/helpers/worlds/agent-hooks.ts";
import { type AgentWorld, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { modelContent, userContent } from "../events/content.ts";
import { functionCallResponse, ScriptedModel, type ScriptedStep } from "../testing/scripted-model.ts";

const RUN_HOOKS = [
  "onUserMessageCallback",
  "beforeRunCallback",
  "onEventCallback",
  "onRunErrorCallback",
  "afterRunCallback",
] as const;

type Hook = (typeof AGENT_HOOKS)[number] | (typeof RUN_HOOKS)[number];
type Owner = "plugin" | "agent";

/** Keeps what it is called with, and does what the test says. */
class Work extends BaseTool {
  readonly runs: unknown[][] = [];
  readonly #work: () => unknown;

  constructor(work: () => unknown) {
    super({ name: "work", description: "Works." });
    this.#work = work;
  }

  override getDeclaration() {
    return { name: this.name };
  }

  override async runAsync(...args: Parameters<BaseTool["runAsync"]>): Promise<unknown> {
    this.runs.push(args);
    return this.#work();
  }
}

interface Watched {
  readonly agent: LlmAgent;
  readonly tool: Work;
  readonly world: AgentWorld;
  readonly order: string[];
  /** Arguments of the only call of a hook. */
  argsOf(owner: Owner, hook: Hook): readonly unknown[];
}

/** A world with all hooks of a plugin and of an agent; `answers` is what a hook returns. */
async function watch(
  steps: readonly ScriptedStep[],
  { work = () => ({ done: true }), answers = {} }: { work?: () => unknown; answers?: Record<string, unknown> } = {},
): Promise<Watched> {
  const calls = new Map<string, unknown[][]>();
  const order: string[] = [];
  const hooksOf = (owner: Owner, hooks: readonly Hook[]) =>
    Object.fromEntries(
      hooks.map((hook) => [
        hook,
        (...args: unknown[]) => {
          const name = `${owner} ${hook}`;
          order.push(name);
          calls.set(name, [...(calls.get(name) ?? []), args]);
          return answers[name];
        },
      ]),
    );
  const tool = new Work(work);
  const model = new ScriptedModel(steps);
  const agent = new LlmAgent({ name: "helper", model, tools: [tool], ...hooksOf("agent", AGENT_HOOKS) });
  const plugin = { name: "watch", ...hooksOf("plugin", [...AGENT_HOOKS, ...RUN_HOOKS]) };
  const world = await createAgentWorld(agent, { plugins: [plugin] });
  const argsOf = (owner: Owner, hook: Hook): readonly unknown[] => {
    const [args, ...more] = calls.get(`${owner} ${hook}`) ?? [];
    if (args === undefined || more.length > 0) throw new Error(`${owner} ${hook} was called ${more.length} times more`);
    return args;
  };
  return { agent, tool, world, order, argsOf };
}

/** The very objects, none more and none less. */
function expectSame(given: readonly unknown[], expected: readonly unknown[]): void {
  expect(given).toHaveLength(expected.length);
  for (const [index, value] of expected.entries()) expect(given[index]).toBe(value);
}

describe("the arguments of callbacks of an agent", () => {
  it("are the agent, for plugins, and one context of it for all", async () => {
    verifies("callbacks:before-agent", "callbacks:after-agent", "plugins:before-agent", "plugins:after-agent");
    const { agent, world, argsOf } = await watch(["done"], {
      answers: { "agent afterAgentCallback": modelContent("bye") },
    });
    const events = await world.run("go");
    for (const hook of ["beforeAgentCallback", "afterAgentCallback"] as const) {
      // A callback of an agent has only the context.
      const [context] = argsOf("agent", hook) as [CallbackContext];
      expectSame(argsOf("agent", hook), [context]);
      expectSame(argsOf("plugin", hook), [agent, context]);
      expect(context.invocationContext.agent).toBe(agent);
      expect([context.agentName, context.invocationId]).toEqual(["helper", events[0]?.invocationId]);
    }
    // What is written through the context is on the event that the callbacks make.
    const [context] = argsOf("agent", "afterAgentCallback") as [CallbackContext];
    expect(events.at(-1)?.actions).toEqual(context.eventActions);
  });
});

describe("the arguments of callbacks of the model", () => {
  it("are one context of the event to come, the model's own request, and its own response", async () => {
    verifies("callbacks:before-model", "callbacks:after-model", "plugins:before-model", "plugins:after-model");
    const asked: unknown[] = [];
    const response = { content: modelContent("done") };
    const { agent, world, argsOf } = await watch([
      (request) => {
        asked.push(request);
        return response;
      },
    ]);
    const [event] = await world.run("go");
    // The first argument of both hooks is the context.
    const [context] = argsOf("plugin", "beforeModelCallback") as [CallbackContext];
    for (const owner of ["plugin", "agent"] as const) {
      expectSame(argsOf(owner, "beforeModelCallback"), [context, asked[0]]);
      expectSame(argsOf(owner, "afterModelCallback"), [context, response]);
    }
    expect([context.eventId, context.invocationContext.agent]).toEqual([event?.id, agent]);
    expect(asked[0]).toMatchObject({ model: "scripted", contents: [userContent("go")] });
  });

  it("are the context, the request and the error that the model threw", async () => {
    verifies("plugins:further-hooks", "callbacks:on-model-error");
    const asked: unknown[] = [];
    const error = new TypeError("no model");
    const { agent, world, argsOf } = await watch(
      [
        (request) => {
          asked.push(request);
          throw error;
        },
      ],
      { answers: { "agent onModelErrorCallback": { content: modelContent("recovered") } } },
    );
    const [event] = await world.run("go");
    const [context] = argsOf("plugin", "onModelErrorCallback") as [CallbackContext];
    for (const owner of ["plugin", "agent"] as const)
      expectSame(argsOf(owner, "onModelErrorCallback"), [context, asked[0], error]);
    expectSame(argsOf("plugin", "beforeModelCallback"), [context, asked[0]]);
    expect([context.eventId, context.invocationContext.agent]).toEqual([event?.id, agent]);
    expect(event?.content).toEqual(modelContent("recovered"));
  });
});

describe("the arguments of callbacks of a tool", () => {
  it("are the tool, the arguments and the context that the tool runs with, and its result", async () => {
    verifies("callbacks:before-tool", "callbacks:after-tool", "plugins:before-tool", "plugins:after-tool");
    const { agent, tool, world, argsOf } = await watch([functionCallResponse("work", { x: 1 }, "c1"), "done"]);
    const [call, answer] = await world.run("go");
    const [args, context] = tool.runs[0] as [unknown, ToolContext];
    const { invocationContext: invocation } = context;
    expect([tool.runs.length, args, context.functionCallId, context.eventId]).toEqual([1, { x: 1 }, "c1", answer?.id]);
    expect([invocation.agent, invocation.invocationId]).toEqual([agent, call?.invocationId]);
    expectSame(argsOf("plugin", "beforeToolCallback"), [tool, args, context]);
    expectSame(argsOf("agent", "beforeToolCallback"), [invocation, tool, args, context]);
    const result = argsOf("plugin", "afterToolCallback")[3];
    expect(result).toEqual({ done: true });
    expectSame(argsOf("plugin", "afterToolCallback"), [tool, args, context, result]);
    expectSame(argsOf("agent", "afterToolCallback"), [invocation, tool, args, context, result]);
    expect(answer?.content?.parts?.[0]?.functionResponse?.response).toBe(result);
  });

  it("are the same and the error that the tool threw", async () => {
    verifies("plugins:further-hooks", "callbacks:on-tool-error");
    const error = new RangeError("too far");
    const { tool, world, argsOf } = await watch([functionCallResponse("work", { x: 1 }, "c1"), "done"], {
      work: () => Promise.reject(error),
    });
    await world.run("go");
    const [args, context] = tool.runs[0] as [unknown, ToolContext];
    expectSame(argsOf("plugin", "onToolErrorCallback"), [tool, args, context, error]);
    expectSame(argsOf("agent", "onToolErrorCallback"), [context.invocationContext, tool, args, context, error]);
    expect(argsOf("agent", "afterToolCallback")[4]).toEqual({ error: "too far" });
  });
});

describe("the arguments of a plugin's hooks of the run", () => {
  it("are the context of the run, with its message, its events and its outcome", async () => {
    verifies("plugins:before-run", "plugins:after-run", "plugins:further-hooks");
    const { agent, world, argsOf } = await watch(["done"]);
    const message = userContent("go");
    const [event] = await world.run(message);
    const [context] = argsOf("plugin", "beforeRunCallback") as [InvocationContext];
    expectSame(argsOf("plugin", "beforeRunCallback"), [context]);
    expect([context.agent, context.userContent, context.invocationId]).toEqual([agent, message, event?.invocationId]);
    expect(context.session).toMatchObject({ appName: "app", userId: "ada", id: "talk" });
    expectSame(argsOf("plugin", "onEventCallback"), [context, event]);
    expect(argsOf("plugin", "afterRunCallback")).toEqual([context, { status: "succeeded" }]);
    expect(argsOf("plugin", "afterRunCallback")[0]).toBe(context);
    // The message is not accepted yet: a context of its own.
    const [early, given] = argsOf("plugin", "onUserMessageCallback") as [InvocationContext, unknown];
    expect([argsOf("plugin", "onUserMessageCallback").length, given]).toEqual([2, message]);
    expect([early.agent, early.invocationId, early.session]).toEqual([agent, event?.invocationId, context.session]);
  });

  it("are the error that ended the run, and an outcome that describes it", async () => {
    verifies("plugins:further-hooks");
    const error = new TypeError("no model");
    const { world, argsOf } = await watch([error]);
    await expect(world.run("go")).rejects.toThrow("no model");
    const [context] = argsOf("plugin", "beforeRunCallback");
    expectSame(argsOf("plugin", "onRunErrorCallback"), [context, error]);
    expect(argsOf("plugin", "afterRunCallback")).toEqual([
      context,
      { status: "failed", error: { code: "INTERNAL", reason: "INTERNAL", message: "TypeError: no model" } },
    ]);
    expect(argsOf("plugin", "afterRunCallback")[0]).toBe(context);
  });
});

describe("an answer in place of the model's", () => {
  it("is not shown to callbacks after the model", async () => {
    verifies("callbacks:short-circuit:before-model");
    const { world, order } = await watch([], {
      answers: { "agent beforeModelCallback": { content: modelContent("instead") } },
    });
    await world.run("go");
    expect(order.filter((name) => name.includes("Model"))).toEqual([
      "plugin beforeModelCallback",
      "agent beforeModelCallback",
    ]);
  });
});

describe("an answer in place of the tool's", () => {
  it("is shown to callbacks after the tool, and the tool does not run", async () => {
    verifies("callbacks:short-circuit:before-tool");
    const instead = { instead: true };
    const { world, tool, argsOf } = await watch([functionCallResponse("work"), "done"], {
      answers: { "agent beforeToolCallback": instead },
    });
    await world.run("go");
    expect([tool.runs, argsOf("agent", "afterToolCallback")[4]]).toEqual([[], instead]);
  });
});

describe("an answer in place of the agent", () => {
  it("ends the turn: neither the model nor callbacks after the agent are called", async () => {
    verifies("callbacks:short-circuit:before-agent");
    const { world, order } = await watch([], { answers: { "agent beforeAgentCallback": modelContent("instead") } });
    await world.run("go");
    expect(order.filter((name) => name.startsWith("agent"))).toEqual(["agent beforeAgentCallback"]);
  });
});

const answerTo: Readonly<Record<(typeof AGENT_HOOKS)[number], object>> = {
  beforeAgentCallback: modelContent("answered"),
  afterAgentCallback: modelContent("answered"),
  beforeModelCallback: { content: modelContent("answered") },
  afterModelCallback: { content: modelContent("answered") },
  onModelErrorCallback: { content: modelContent("answered") },
  beforeToolCallback: { by: "answered" },
  afterToolCallback: { by: "answered" },
  onToolErrorCallback: { by: "answered" },
};
/** A run in which the hook is called once. */
const runFor = (hook: Hook, answers: Record<string, unknown>): Promise<Watched> => {
  if (hook.includes("Tool")) {
    const fails = hook === "onToolErrorCallback" && { work: () => Promise.reject(new Error("broken")) };
    return watch([functionCallResponse("work"), "done"], { answers, ...fails });
  }
  return watch([hook === "onModelErrorCallback" ? new Error("down") : "done"], { answers });
};

describe("a callback of an agent", () => {
  it.each(AGENT_HOOKS)("may answer synchronously or by a promise: %s", async (hook) => {
    verifies("callbacks:sync-variants");
    for (const answer of [answerTo[hook], Promise.resolve(answerTo[hook])]) {
      const { world } = await runFor(hook, { [`agent ${hook}`]: answer });
      await world.run("go");
      expect(JSON.stringify((await world.session()).events.map(({ content }) => content))).toContain("answered");
    }
  });
});

describe("a plugin", () => {
  it.each(AGENT_HOOKS)("is asked before the agent, and alone where it answers: %s", async (hook) => {
    verifies("callbacks:chain", "plugins:order");
    const silent = await runFor(hook, { [`agent ${hook}`]: answerTo[hook] });
    await silent.world.run("go");
    expect(silent.order.filter((name) => name.endsWith(hook))).toEqual([`plugin ${hook}`, `agent ${hook}`]);
    const answering = await runFor(hook, { [`plugin ${hook}`]: answerTo[hook] });
    await answering.world.run("go");
    expect(answering.order.filter((name) => name.endsWith(hook))).toEqual([`plugin ${hook}`]);
    const said = JSON.stringify((await answering.world.session()).events.map(({ content }) => content));
    expect(said).toContain("answered");
  });
});
