import { requiredKeysOf } from "#kit/llm-agent/request/read-placeholder.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import type { AgentInfo } from "#kit/runs/runner-service.ts";

/**
 * An empty text for each key of the session's state that instructions of the agents need, so that a case can start with
 * this state. Keys of a user's or an app's state are left out: other sessions share them.
 */
export function stateOfAgents(agent: Pick<AgentInfo, "instruction" | "subAgents">): JsonObject {
  const own = requiredKeysOf(agent.instruction ?? "").filter((key) => !key.includes(":"));
  const below = agent.subAgents.flatMap((each) => Object.entries(stateOfAgents(each)));
  return Object.fromEntries([...below, ...own.map((key) => [key, ""] as const)]);
}
