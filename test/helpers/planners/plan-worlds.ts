import { SequentialAgent } from "#kit/agents/sequential-agent.ts";
import type { BaseAgent } from "#kit/core/base-agent.ts";
import { modelContent, textOf } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { LlmRequest } from "#kit/models/llm-request.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import type { AgentMetadata } from "#kit/planners/agent-metadata.ts";
import { GoalOrientedPlanner } from "#kit/planners/goal-oriented/goal-oriented-planner.ts";
import { LoopPlanner } from "#kit/planners/loop-planner.ts";
import { P2PPlanner } from "#kit/planners/p2p-planner.ts";
import { ParallelPlanner } from "#kit/planners/parallel-planner.ts";
import type { Planner } from "#kit/planners/planner.ts";
import { PlannerAgent } from "#kit/planners/planner-agent.ts";
import { SequentialPlanner } from "#kit/planners/sequential-planner.ts";
import { SupervisorPlanner } from "#kit/planners/supervisor/supervisor-planner.ts";
import { functionCallResponse, ScriptedModel } from "#kit/testing/scripted-model.ts";
import { ExitLoopTool } from "#kit/tools/exit-loop-tool.ts";
import { fc } from "#test/helpers/random/seeded-check.ts";
import { effectTool } from "#test/helpers/worlds/resume-scenarios.ts";

/** How one sub-agent works. Its model has only its prompt, as after a change of process. */
export interface Member {
  /** Calls a tool before it answers. */
  readonly usesTool: boolean;
  /** The number of the turn, from 1, in which it escalates; 0: never. */
  readonly escalatesAt: number;
  /** The number of the turn, from 1, in which it writes no output; 0: never. */
  readonly failsAt: number;
  /** Indexes of the members whose output it reads. */
  readonly reads: readonly number[];
}

/** One planner with its agents. */
export interface PlanWorld {
  readonly kind: (typeof KINDS)[number];
  readonly members: readonly Member[];
  /** Cycles, invocations or replans, from 1. */
  readonly limit: number;
  /** Of a supervisor: the members to run, by index; an empty decision is an answer that is not valid. */
  readonly decisions: readonly (readonly number[])[];
  /** The planner agent is part of a sequence. */
  readonly isNested: boolean;
}

const KINDS = ["sequential", "parallel", "loop", "supervisor", "p2p", "goal-oriented"] as const;
const MAX_MEMBERS = 4;

const index = fc.integer({ min: 0, max: MAX_MEMBERS - 1 });

const member: fc.Arbitrary<Member> = fc.record({
  usesTool: fc.boolean(),
  escalatesAt: fc.integer({ min: 0, max: 3 }),
  failsAt: fc.integer({ min: 0, max: 2 }),
  reads: fc.uniqueArray(index, { maxLength: 2 }),
});

/** Planners of all kinds. */
export const planWorlds: fc.Arbitrary<PlanWorld> = fc.record({
  kind: fc.constantFrom(...KINDS),
  members: fc.array(member, { minLength: 1, maxLength: MAX_MEMBERS }),
  limit: fc.integer({ min: 1, max: 3 }),
  decisions: fc.array(fc.uniqueArray(index, { maxLength: 3 }), { maxLength: 4 }),
  isNested: fc.boolean(),
});

/** A call of a model: its agent, and an id that the event of its answer has as the version of the model. */
export interface ModelCall {
  readonly agentName: string;
  readonly id: string;
}

/** Creates the agent of a world; its models add each call to the list. */
export function createPlanner(world: PlanWorld, calls: ModelCall[], attempt: number): BaseAgent {
  const answering = (agentName: string, decide: (request: LlmRequest) => LlmResponse): ScriptedModel =>
    new ScriptedModel(
      [
        (request) => {
          const id = `${attempt}.${calls.length}`;
          calls.push({ agentName, id });
          return { ...decide(request), modelVersion: id };
        },
      ],
      { repeatLast: true },
    );
  const desk = new PlannerAgent({
    name: DESK,
    planner: plannerOf(world, (decide) => answering(DESK, decide)),
    subAgents: world.members.map((how, at) => createMember(how, at, (decide) => answering(nameOf(at), decide))),
  });
  if (!world.isNested) return desk;
  const last = new LlmAgent({ name: "last", model: answering("last", () => ({ content: modelContent("the end") })) });
  return new SequentialAgent({ name: "row", subAgents: [desk, last] });
}

const DESK = "desk";
const nameOf = (at: number): string => `member_${at}`;
type CreateModel = (decide: (request: LlmRequest) => LlmResponse) => ScriptedModel;

function createMember(how: Member, at: number, createModel: CreateModel): LlmAgent {
  const name = nameOf(at);
  const tool = `use_${at}`;
  const decide = (request: LlmRequest): LlmResponse => {
    const turn = ownTexts(request) + 1;
    if (how.usesTool && responsesOf(request, tool) < turn) return functionCallResponse(tool, { item: `${turn}` });
    if (how.escalatesAt === turn) return functionCallResponse("exit_loop");
    // An output that is blank is not written.
    return { content: modelContent(how.failsAt === turn ? "\n" : `${name} ${turn}`) };
  };
  const tools = [effectTool(new Map(), tool), new ExitLoopTool()];
  return new LlmAgent({ name, description: `Works as ${name}.`, model: createModel(decide), tools, outputKey: name });
}

function plannerOf(world: PlanWorld, createModel: CreateModel): Planner {
  const { kind, limit, members } = world;
  switch (kind) {
    case "sequential":
      return new SequentialPlanner();
    case "parallel":
      return new ParallelPlanner();
    case "loop":
      return new LoopPlanner({ maxCycles: limit });
    case "supervisor":
      return new SupervisorPlanner({ model: createModel((request) => decisionOf(world, request)), maxAnswers: 10 });
    case "p2p":
      return new P2PPlanner({ metadata: members.map(describeMember), maxInvocations: 2 * limit });
    case "goal-oriented":
      return new GoalOrientedPlanner({
        // Each reads only from those before it, so that there is a plan.
        metadata: members.map((how, at) => describeMember({ ...how, reads: how.reads.filter((of) => of < at) }, at)),
        goal: nameOf(members.length - 1),
        replanPolicy: { kind: "Replan", maxAttempts: limit },
      });
    default:
      return kind satisfies never;
  }
}

function describeMember({ reads }: Pick<Member, "reads">, at: number): AgentMetadata {
  return { agentName: nameOf(at), inputKeys: reads.map(nameOf), outputKey: nameOf(at) };
}

/** The answer that follows from the numbers of decisions and of refused answers in the prompt. */
function decisionOf({ decisions, members }: PlanWorld, { contents }: LlmRequest): LlmResponse {
  const decided = textOf(contents[0]).match(/^\d+\. Run: /gm)?.length ?? 0;
  const refused = (contents.length - 1) / 2;
  const chosen = decisions[decided + refused];
  if (chosen === undefined) return { content: modelContent('{"decision":"done","result":"All is done."}') };
  const agents = chosen.filter((at) => at < members.length).map(nameOf);
  return { content: modelContent(JSON.stringify({ decision: "run", agents })) };
}

function ownTexts({ contents }: LlmRequest): number {
  return contents.filter(({ role, parts }) => role === "model" && parts?.some(({ text }) => text !== undefined)).length;
}

function responsesOf({ contents }: LlmRequest, name: string): number {
  return contents.flatMap(({ parts = [] }) => parts).filter(({ functionResponse }) => functionResponse?.name === name)
    .length;
}
