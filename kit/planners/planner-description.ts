import { isJsonObject } from "#kit/platform/json.ts";
import type { AgentMetadata } from "./agent-metadata.ts";

/** How a planner orders agents, as far as that is known before a turn; for listings and drawings. */
export interface PlannerDescription {
  /** The planner's class, such as `LoopPlanner`. */
  readonly name: string;
  readonly links: readonly AgentLink[];
}

/** An agent that runs after another one. */
export interface AgentLink {
  readonly from: string;
  readonly to: string;
  /** The state key that the first one writes and the second one reads. */
  readonly key?: string;
}

/** Plain JavaScript can return anything. */
export function isPlannerDescription(value: unknown): value is PlannerDescription {
  if (!isJsonObject(value) || typeof value["name"] !== "string") return false;
  const { links } = value;
  return Array.isArray(links) && links.every(isLink);
}

function isLink(link: unknown): boolean {
  if (!isJsonObject(link)) return false;
  const { from, to, key = "" } = link;
  return [from, to, key].every((text) => typeof text === "string");
}

/**
 * The most links of a description, which is sent between services and drawn in user interfaces. Further links are left
 * out.
 */
const MAX_LINKS = 1000;

/** A link from each agent to the one after it; the first 1,000. */
export function linksInOrder(agents: readonly { readonly name: string }[]): readonly AgentLink[] {
  return agents.slice(1, MAX_LINKS + 1).map(({ name: to }, index) => ({ from: agents[index]?.name ?? to, to }));
}

/** A link for each key that one of the agents writes and another one reads; the first 1,000. */
export function linksByKeys(metadata: readonly AgentMetadata[]): readonly AgentLink[] {
  const writers = Map.groupBy(metadata, ({ outputKey }) => outputKey);
  const links: AgentLink[] = [];
  for (const { agentName: to, inputKeys } of metadata) {
    for (const key of new Set(inputKeys)) {
      for (const { agentName: from } of writers.get(key) ?? []) {
        if (from !== to) links.push({ from, to, key });
        if (links.length === MAX_LINKS) return links;
      }
    }
  }
  return links;
}
