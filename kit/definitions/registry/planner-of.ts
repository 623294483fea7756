import type { PlannerAgentConfig, PlannerConfig } from "#kit/definitions/yaml/planner-config.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Planner } from "#kit/planners/planner.ts";
import { suggestion } from "#kit/schema/suggest.ts";
import type { AgentParts, PlannerClass } from "./component-registry.ts";

/**
 * The planner that a definition names: a class with arguments, or else an instance of the registry. Problems are
 * reported at their line; then, and while sub-agents have problems, it returns undefined.
 */
export function plannerOf(config: Partial<PlannerAgentConfig>, parts: AgentParts): Planner | undefined {
  const { planner } = config;
  // A missing name is a problem already.
  if (planner?.name === undefined) return undefined;
  const plannerClass = parts.planners.get(planner.name);
  if (plannerClass !== undefined) return built(plannerClass, { config, planner, parts });
  const instance = parts.instances.get(planner.name);
  if (isPlanner(instance)) return isWithoutArgs(planner, parts) ? instance : undefined;
  const hint = suggestion(planner.name, parts.planners.names()) || ".";
  const problem = instance === undefined ? `No planner "${planner.name}" is registered${hint}` : notAPlanner(planner);
  parts.refuse("name", problem, planner);
  return undefined;
}

interface Place {
  readonly config: Partial<PlannerAgentConfig>;
  readonly planner: PlannerConfig;
  readonly parts: AgentParts;
}

function built(plannerClass: PlannerClass, { config, planner, parts }: Place): Planner | undefined {
  const { fields } = plannerClass;
  if (fields === undefined && !isWithoutArgs(planner, parts)) return undefined;
  const args = fields === undefined ? {} : parts.read(planner, "args", fields);
  // Metadata is derived from all sub-agents.
  if (args === undefined || parts.subAgents.length < (config.subAgents ?? []).length) return undefined;
  try {
    return plannerClass.fromConfig(args, parts);
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    parts.refuse(error.details["field"] ?? "", error.message, planner.args ?? planner);
    return undefined;
  }
}

function isWithoutArgs(planner: PlannerConfig, parts: AgentParts): boolean {
  if (Object.keys(planner.args ?? {}).length === 0) return true;
  parts.refuse("args", `The planner "${planner.name}" takes no args.`, planner);
  return false;
}

function notAPlanner({ name }: PlannerConfig): string {
  const fix = "planners of one LLM agent, such as PlanReActPlanner, belong on that agent";
  return `"${name}" is registered, and is not a planner of a PlannerAgent: ${fix}.`;
}

function isPlanner(value: unknown): value is Planner {
  return typeof value === "object" && value !== null && "firstAction" in value && "nextAction" in value;
}
