import { LoopAgent } from "#kit/agents/loop-agent.ts";
import { ParallelAgent } from "#kit/agents/parallel-agent.ts";
import { SequentialAgent } from "#kit/agents/sequential-agent.ts";
import { BaseAgent } from "#kit/core/base-agent.ts";
import type { BaseTool } from "#kit/core/base-tool.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import { modelContent } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import { createEventActions } from "#kit/events/event-actions.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { LlmRequest } from "#kit/models/llm-request.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import { GoalOrientedPlanner } from "#kit/planners/goal-oriented/goal-oriented-planner.ts";
import type { ReplanPolicy } from "#kit/planners/goal-oriented/replan-policy.ts";
import { LoopPlanner } from "#kit/planners/loop-planner.ts";
import { ParallelPlanner } from "#kit/planners/parallel-planner.ts";
import { PlannerAgent } from "#kit/planners/planner-agent.ts";
import { SequentialPlanner } from "#kit/planners/sequential-planner.ts";
import { functionCallResponse, ScriptedModel } from "#kit/testing/scripted-model.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { run, ScriptedPlanner } from "../planners/scripted-planner.ts";

/** Effects of tools outside: a call that runs again with its id replaces its earlier effect. */
export type Effects = Map<string, string>;

export interface Scenario {
  readonly title: string;
  readonly createAgent: (effects: Effects) => BaseAgent;
}

/** A model without memory: its answer follows from the prompt alone, as after a change of process. */
export function thinking(decide: (request: LlmRequest) => string | LlmResponse | Promise<string>): ScriptedModel {
  return new ScriptedModel([decide], { repeatLast: true });
}

export function effectTool(effects: Effects, name: string): BaseTool {
  return new FunctionTool({
    name,
    description: "Does something.",
    parameters: { type: "object", properties: { item: { type: "string" } } },
    idempotent: true,
    execute: ({ item }, context) => {
      effects.set(context.functionCallId ?? "", `${name} ${String(item)}`);
      context.state.set(`${name}:${String(item)}`, true);
      return { done: String(item) };
    },
  });
}

export function call(name: string, ...items: readonly string[]): LlmResponse {
  return { content: { role: "model", parts: items.map((item) => ({ functionCall: { name, args: { item } } })) } };
}

/** Responses of the tool in the prompt. */
function answersOf({ contents }: LlmRequest, name: string): number {
  return contents.flatMap(({ parts = [] }) => parts).filter(({ functionResponse }) => functionResponse?.name === name)
    .length;
}

/** Texts of the agent itself in the prompt. */
function ownTexts({ contents }: LlmRequest): number {
  return contents.filter(({ role, parts }) => role === "model" && parts?.some(({ text }) => text !== undefined)).length;
}

function worker(effects: Effects, name: string, options: { readonly outputKey?: string } = {}): LlmAgent {
  const tool = `use_${name}`;
  return new LlmAgent({
    name,
    description: `Works as ${name}.`,
    model: thinking((request) => {
      const answers = answersOf(request, tool);
      if (answers === 0) return call(tool, "one", "two");
      if (answers === 2) return call(tool, "three");
      return `${name} is done`;
    }),
    tools: [effectTool(effects, tool)],
    ...options,
  });
}

export function speaker(name: string): LlmAgent {
  return new LlmAgent({ name, model: thinking(() => `${name} speaks`), outputKey: name });
}

function exitTool(): BaseTool {
  return new FunctionTool({
    name: "exit",
    description: "Ends the loop.",
    idempotent: true,
    execute: (_args, { actions }) => {
      actions.escalate = true;
      actions.skipSummarization = true;
    },
  });
}

/** A writer that writes anew in each pass, and a critic that accepts the third text. */
function critique(effects: Effects, name = "critique"): LoopAgent {
  const writer = new LlmAgent({
    name: `${name}_writer`,
    model: thinking((request) => `draft ${ownTexts(request) + 1}`),
    outputKey: `${name}_draft`,
  });
  const critic = new LlmAgent({
    name: `${name}_critic`,
    instruction: `{${name}_draft}`,
    model: thinking((request) => {
      const draft = /draft (\d)/.exec(request.systemInstruction)?.[1];
      if (draft === "3") return functionCallResponse("exit");
      return answersOf(request, "check") < Number(draft) ? call("check", `draft ${draft}`) : `draft ${draft} is weak`;
    }),
    tools: [exitTool(), effectTool(effects, "check")],
  });
  return new LoopAgent({ name, subAgents: [writer, critic], maxIterations: 5 });
}

/** A front desk that transfers to a clerk, who transfers back when the work is done. */
function frontDesk(effects: Effects): LlmAgent {
  const clerk = new LlmAgent({
    name: "clerk",
    description: "Does the work.",
    model: thinking((request) => {
      if (answersOf(request, "stamp") === 0) return call("stamp", "form");
      return functionCallResponse("transfer_to_agent", { agent_name: "desk" });
    }),
    tools: [effectTool(effects, "stamp")],
  });
  return new LlmAgent({
    name: "desk",
    description: "Greets.",
    model: thinking((request) =>
      answersOf(request, "transfer_to_agent") === 0
        ? functionCallResponse("transfer_to_agent", { agent_name: "clerk" })
        : "all stamped",
    ),
    subAgents: [clerk],
  });
}

class Silent extends BaseAgent {
  readonly #effects: Effects;

  constructor(name: string, effects: Effects) {
    super({ name });
    this.#effects = effects;
  }

  protected override async *runAsyncImpl(context: InvocationContext): AsyncGenerator<Event> {
    this.#effects.set(`${this.name} of ${context.invocationId}`, "worked in silence");
  }
}

/** Runs its two agents in its own order, and reports it. */
class Conductor extends BaseAgent {
  protected override async *runAsyncImpl(context: InvocationContext): AsyncGenerator<Event> {
    yield context.createEvent({ content: modelContent("first part") });
    for (const agent of this.subAgents) yield* agent.runAsync(context);
    yield context.createEvent({
      content: modelContent("the end"),
      actions: createEventActions({ stateDelta: { conducted: true } }),
    });
  }
}

/** Counts to four, and keeps the count on its events. */
class Counter extends BaseAgent {
  protected override async *runAsyncImpl(context: InvocationContext): AsyncGenerator<Event> {
    const { count } = context.agentState ?? {};
    for (let next = typeof count === "number" ? count + 1 : 1; next <= 4; next += 1) {
      // The same text each time: only the state distinguishes them.
      yield context.withAgentState(context.createEvent({ content: modelContent("tick") }), { count: next });
    }
  }
}

/** Writes its key in the second turn of one invocation, or never. */
class Hesitant extends BaseAgent {
  readonly #writes: boolean;

  constructor(name: string, options: { readonly writes: boolean }) {
    super({ name });
    this.#writes = options.writes;
  }

  protected override async *runAsyncImpl(context: InvocationContext): AsyncGenerator<Event> {
    const attempts = Number(context.session.state[`${this.name}_attempts`] ?? 0) + 1;
    const output = this.#writes && attempts > 1 ? { [this.name]: "written" } : {};
    const actions = createEventActions({ stateDelta: { [`${this.name}_attempts`]: attempts, ...output } });
    yield context.withEndOfAgent(context.createEvent({ content: modelContent(`attempt ${attempts}`), actions }));
  }
}

/** A plan from "start" over "left" and "right" to "end". */
function goalPlan(
  effects: Effects,
  { left, replanPolicy }: { left: BaseAgent; replanPolicy: ReplanPolicy },
): BaseAgent {
  const planner = new GoalOrientedPlanner({
    goal: "end",
    metadata: [
      { agentName: "start", inputKeys: [], outputKey: "start" },
      { agentName: "left", inputKeys: ["start"], outputKey: "left" },
      { agentName: "right", inputKeys: ["start"], outputKey: "right" },
      { agentName: "end", inputKeys: ["left", "right"], outputKey: "end" },
    ],
    replanPolicy,
    freshOutputs: true,
  });
  const right = worker(effects, "right", { outputKey: "right" });
  return new PlannerAgent({ name: "desk", planner, subAgents: [speaker("start"), left, right, speaker("end")] });
}

/** A tree of agents of every kind, whose models have only their prompts. */
export const SCENARIOS: readonly Scenario[] = [
  { title: "an LLM agent with tools", createAgent: (effects) => worker(effects, "solo", { outputKey: "answer" }) },
  {
    title: "a sequence",
    createAgent: (effects) =>
      new SequentialAgent({
        name: "row",
        subAgents: [speaker("opener"), worker(effects, "middle"), new Silent("quiet", effects), speaker("closer")],
      }),
  },
  {
    title: "a parallel team",
    createAgent: (effects) =>
      new ParallelAgent({
        name: "team",
        subAgents: [worker(effects, "left"), worker(effects, "right"), new Silent("quiet", effects), speaker("third")],
      }),
  },
  { title: "a loop with a critic", createAgent: (effects) => critique(effects) },
  { title: "transfers there and back", createAgent: (effects) => frontDesk(effects) },
  {
    title: "an agent of the author's own",
    createAgent: (effects) =>
      new Conductor({ name: "conductor", subAgents: [worker(effects, "strings"), speaker("brass")] }),
  },
  { title: "an agent that keeps its own state", createAgent: () => new Counter({ name: "counter" }) },
  {
    title: "a plan in order, with an agent that yields nothing",
    createAgent: (effects) =>
      new PlannerAgent({
        name: "desk",
        planner: new SequentialPlanner(),
        subAgents: [speaker("opener"), new Silent("quiet", effects), worker(effects, "middle"), speaker("closer")],
      }),
  },
  {
    title: "a plan of agents at the same time",
    createAgent: (effects) =>
      new PlannerAgent({
        name: "desk",
        planner: new ParallelPlanner(),
        subAgents: [worker(effects, "left"), worker(effects, "right"), new Silent("quiet", effects), speaker("third")],
      }),
  },
  {
    title: "a plan of cycles",
    createAgent: (effects) =>
      new PlannerAgent({
        name: "desk",
        planner: new LoopPlanner({ maxCycles: 3 }),
        subAgents: [critique(effects, "inner"), speaker("between")],
        afterAgentCallback: () => modelContent("curtain"),
      }),
  },
  {
    title: "a plan with decisions, parallel steps, a plan inside it and a result",
    createAgent: (effects) =>
      new PlannerAgent({
        name: "desk",
        planner: new ScriptedPlanner(
          run("opener"),
          () => ({ kind: "NoOp" }),
          (context) => ({ ...run("left", "right", "quiet")(context), event: {} }),
          run("nested"),
          (context) => ({ ...run("quiet")(context), event: {} }),
          run("left", "nested"),
          () => ({ kind: "DoneWithResult", text: "the end" }),
        ),
        subAgents: [
          speaker("opener"),
          worker(effects, "left"),
          worker(effects, "right"),
          new Silent("quiet", effects),
          new PlannerAgent({
            name: "nested",
            planner: new LoopPlanner({ maxCycles: 2 }),
            subAgents: [speaker("tick"), speaker("tock")],
          }),
        ],
        afterAgentCallback: () => modelContent("curtain"),
      }),
  },
  {
    title: "a plan toward a goal, with a new plan after a failure",
    createAgent: (effects) =>
      goalPlan(effects, {
        left: new Hesitant("left", { writes: true }),
        replanPolicy: { kind: "Replan", maxAttempts: 2 },
      }),
  },
  {
    title: "a plan toward a goal that stops at a failure",
    createAgent: (effects) =>
      goalPlan(effects, { left: new Hesitant("left", { writes: false }), replanPolicy: { kind: "FailStop" } }),
  },
  {
    title: "callbacks that speak before and after",
    createAgent: (effects) =>
      new SequentialAgent({
        name: "framed",
        subAgents: [
          new LlmAgent({
            name: "replaced",
            model: thinking(() => "never said"),
            beforeAgentCallback: () => modelContent("instead"),
            afterAgentCallback: () => modelContent("never said either"),
          }),
          new LlmAgent({
            name: "extended",
            model: thinking(() => "said"),
            beforeAgentCallback: ({ state }) => {
              state.set("began", true);
            },
            afterAgentCallback: () => modelContent("and more"),
          }),
          worker(effects, "last"),
        ],
        afterAgentCallback: () => modelContent("curtain"),
      }),
  },
  {
    title: "all of them inside each other",
    createAgent: (effects) =>
      new SequentialAgent({
        name: "all",
        subAgents: [
          new ParallelAgent({
            name: "fan",
            subAgents: [
              critique(effects, "inner"),
              new SequentialAgent({ name: "pair", subAgents: [worker(effects, "one"), speaker("two")] }),
            ],
          }),
          new LoopAgent({
            name: "twice",
            maxIterations: 2,
            subAgents: [
              new ParallelAgent({ name: "both", subAgents: [speaker("ping"), speaker("pong")] }),
              new LoopAgent({ name: "nested", maxIterations: 2, subAgents: [speaker("tock")] }),
            ],
          }),
          frontDesk(effects),
          speaker("end"),
        ],
      }),
  },
];
