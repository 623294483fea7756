import type { AgentDetails, AppDetails } from "#kit/evaluation/eval-set.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { present } from "#kit/platform/members.ts";
import type { AgentInfo, AppInfo } from "#ports/runs/runner-service.ts";

/**
 * What is known of these agents of an app without running them: instructions as they are written, with their placeholders,
 * and the declarations of their own tools. Instructions that a function returns, and tools of toolsets, are absent.
 */
export function detailsOfApp({ rootAgent }: Pick<AppInfo, "rootAgent">, names: ReadonlySet<string>): AppDetails {
  const agents = allAgents(rootAgent).filter(({ name }) => names.has(name));
  return { agentDetails: Object.fromEntries(agents.map((agent) => [agent.name, detailsOf(agent)])) };
}

function allAgents(agent: AgentInfo): readonly AgentInfo[] {
  return [agent, ...agent.subAgents.flatMap(allAgents)];
}

function detailsOf({ name, instruction, tools }: AgentInfo): AgentDetails {
  const functionDeclarations = tools.map(
    ({ name: tool, description, parameters }): JsonObject =>
      present({
        name: tool,
        description,
        parameters,
      }),
  );
  return {
    name,
    instructions: instruction,
    toolDeclarations: tools.length === 0 ? [] : [{ functionDeclarations }],
  };
}
