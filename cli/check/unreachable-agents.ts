import type { BaseAgent } from "#kit/core/base-agent.ts";
import { AStarSearchStrategy } from "#kit/planners/goal-oriented/a-star-search-strategy.ts";
import { DfsSearchStrategy } from "#kit/planners/goal-oriented/dfs-search-strategy.ts";
import { GoalOrientedPlanner } from "#kit/planners/goal-oriented/goal-oriented-planner.ts";
import { PlannerAgent } from "#kit/planners/planner-agent.ts";
import type { AgentProblem } from "./find-source.ts";

/** Warns about sub-agents that no turn can run. */
export function unreachableAgents(agents: readonly BaseAgent[]): readonly AgentProblem[] {
  return agents.flatMap((agent) => [...besideTheGoal(agent), ...belowRemote(agent)]);
}

/** The search strategies of the kit plan the agents that the goal needs; others can plan any agent. */
const STRATEGIES: ReadonlySet<unknown> = new Set([DfsSearchStrategy, AStarSearchStrategy]);

function besideTheGoal(agent: BaseAgent): readonly AgentProblem[] {
  if (!(agent instanceof PlannerAgent)) return [];
  const { name, planner, subAgents } = agent;
  if (!(planner instanceof GoalOrientedPlanner) || planner.constructor !== GoalOrientedPlanner) return [];
  if (!STRATEGIES.has(planner.searchStrategy.constructor)) return [];
  const needed = agentsFor(planner);
  const cause = `the planner of "${name}" never runs it: the goal "${planner.goal}" needs nothing that it writes`;
  return subAgents
    .filter((each) => !needed.has(each.name))
    .map((each) => unreachable(each, `${cause}. Name its outputKey in an instruction, or remove it.`));
}

/** The agents that write the goal, or what an agent before it reads. */
function agentsFor({ graph, goal }: GoalOrientedPlanner): ReadonlySet<string> {
  const keys = new Set([goal]);
  // A set that is iterated also yields what is added meanwhile.
  for (const key of keys) for (const input of graph.getDependencies(key)) keys.add(input);
  return new Set([...keys].flatMap((key) => graph.getProducerAgent(key) ?? []));
}

function belowRemote({ kind, name, subAgents }: BaseAgent): readonly AgentProblem[] {
  if (kind !== "remote") return [];
  const cause = `its parent "${name}" is an agent of another server, which does not run agents of this one`;
  return subAgents.map((each) => unreachable(each, `${cause}. Make it a sub-agent of another agent.`));
}

function unreachable({ name }: BaseAgent, cause: string): AgentProblem {
  return { level: "warning", message: `Agent "${name}" is unreachable: ${cause}`, source: { agent: name } };
}
