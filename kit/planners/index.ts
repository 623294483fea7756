// The exports of `fairlead/planners`: an agent that plans which of its agents runs next, and the planners.

export type { AgentMetadata } from "./agent-metadata.ts";
export { deriveAgentMetadata } from "./derive-agent-metadata.ts";
export { AStarSearchStrategy, type AStarSearchStrategyOptions } from "./goal-oriented/a-star-search-strategy.ts";
export { DependencyGraphSearch } from "./goal-oriented/dependency-graph-search.ts";
export { DfsSearchStrategy } from "./goal-oriented/dfs-search-strategy.ts";
export { GoalOrientedPlanner, type GoalOrientedPlannerOptions } from "./goal-oriented/goal-oriented-planner.ts";
export { GoalOrientedSearchGraph } from "./goal-oriented/goal-oriented-search-graph.ts";
export type { ReplanPolicy } from "./goal-oriented/replan-policy.ts";
export type { AgentGroups, SearchRequest, SearchStrategy } from "./goal-oriented/search-strategy.ts";
export { LoopPlanner, type LoopPlannerOptions } from "./loop-planner.ts";
export { P2PPlanner, type P2PPlannerOptions } from "./p2p-planner.ts";
export { ParallelPlanner } from "./parallel-planner.ts";
export type { Planner } from "./planner.ts";
export type { Decision, DecisionEvent, Plan, PlannerAction } from "./planner-action.ts";
export { PlannerAgent, type PlannerAgentOptions } from "./planner-agent.ts";
export type { AgentLink, PlannerDescription } from "./planner-description.ts";
export type { PlanningContext } from "./planning-context.ts";
export { SequentialPlanner } from "./sequential-planner.ts";
export { SupervisorPlanner, type SupervisorPlannerOptions } from "./supervisor/supervisor-planner.ts";
