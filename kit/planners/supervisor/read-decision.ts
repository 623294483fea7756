import type { BaseAgent } from "#kit/core/base-agent.ts";
import { textOf } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import { parseOutput } from "#kit/llm-agent/output/check-output.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";

/** The decision of the model. */
export type SupervisorDecision =
  | { readonly kind: "run"; readonly agents: readonly BaseAgent[] }
  | { readonly kind: "done"; readonly result?: string }
  /** `problem`: a sentence for the model. */
  | { readonly kind: "invalid"; readonly problem: string };

/** The JSON Schema of the answer. Every member is required, because some providers accept no other schema. */
export function decisionSchema(agents: readonly BaseAgent[]): JsonObject {
  return {
    type: "object",
    properties: {
      decision: { type: "string", enum: ["run", "done"] },
      agents: { type: "array", items: { type: "string", enum: agents.map(({ name }) => name) } },
      result: { type: "string" },
    },
    required: ["decision", "agents", "result"],
    additionalProperties: false,
  };
}

/** Reads the answer, which may be anything: not every model keeps to a schema. */
export function readDecision(
  { content, errorCode }: Pick<Event, "content" | "errorCode">,
  available: readonly BaseAgent[],
): SupervisorDecision {
  if (errorCode !== undefined) return invalid(`The answer ended with ${errorCode}.`);
  const value = parseOutput(textOf(content))?.value;
  if (!isJsonObject(value)) return invalid("The answer is not a JSON object.");
  const { decision, agents = [], result = "" } = value;
  if (!Array.isArray(agents) || !agents.every((name) => typeof name === "string"))
    return invalid("`agents` is not a list of names.");
  if (typeof result !== "string") return invalid("`result` is not a text.");
  if (decision === "done") {
    if (agents.length > 0) return invalid('`decision` is "done", and `agents` names agents: decide for one of them.');
    return result.trim() === "" ? { kind: "done" } : { kind: "done", result };
  }
  if (decision !== "run") return invalid('`decision` is neither "run" nor "done".');
  return findAgents(agents, available);
}

function findAgents(names: readonly string[], available: readonly BaseAgent[]): SupervisorDecision {
  if (names.length === 0) return invalid('`decision` is "run", and `agents` is empty.');
  const found = new Set<BaseAgent>();
  for (const name of names) {
    const matches = matching(name, available);
    const [only] = matches;
    const choice = (matches.length > 1 ? matches : available).map((agent) => JSON.stringify(agent.name)).join(", ");
    if (only === undefined) return invalid(`There is no agent ${quoted(name)}. The agents are ${choice}.`);
    if (matches.length > 1) return invalid(`${quoted(name)} may be ${choice}: write the name exactly.`);
    found.add(only);
  }
  return { kind: "run", agents: [...found] };
}

/** The agent of exactly this name, or else all whose names differ in case or outer space only. */
function matching(name: string, available: readonly BaseAgent[]): readonly BaseAgent[] {
  const exact = available.find((agent) => agent.name === name);
  if (exact !== undefined) return [exact];
  const wanted = name.trim().toLowerCase();
  return available.filter((agent) => agent.name.toLowerCase() === wanted);
}

const MAX_NAME_CHARACTERS = 100;

function quoted(name: string): string {
  return JSON.stringify(name.slice(0, MAX_NAME_CHARACTERS));
}

function invalid(problem: string): SupervisorDecision {
  return { kind: "invalid", problem };
}
