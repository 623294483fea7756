import type { Planner } from "./planner.ts";
import type { PlannerAction } from "./planner-action.ts";
import type { PlannerDescription } from "./planner-description.ts";
import type { PlanningContext } from "./planning-context.ts";

/** Runs all sub-agents at the same time, and is done when all have ended. */
export class ParallelPlanner implements Planner {
  describe(): PlannerDescription {
    return { name: "ParallelPlanner", links: [] };
  }

  firstAction({ availableAgents }: PlanningContext): PlannerAction {
    return availableAgents.length === 0 ? { kind: "Done" } : { kind: "RunAgents", agents: availableAgents };
  }

  nextAction(): PlannerAction {
    return { kind: "Done" };
  }
}
