import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { best, shared } from "./shared-words.ts";

/** The answer to a supervisor: which agents work next. */
interface Decision {
  readonly decision: "run" | "done";
  readonly agents: readonly string[];
  readonly result: string;
}

/** Whether the schema asks which agents work next. */
export function isDecision(schema: JsonObject): boolean {
  const { decision, agents } = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  return decision !== undefined && agents !== undefined && namesOf(schema).length > 0;
}

/**
 * Decides for one agent after another whose name or description has words of the user's request, the best first; for the
 * first agent if none has. `situation`: the message of a `SupervisorPlanner`.
 */
export function decideNext(schema: JsonObject, situation: string): Decision {
  const sections = new Map(situation.split("\n\n").map((text) => [text.slice(0, text.indexOf("\n")), text]));
  const lines = (title: string): readonly string[] => sections.get(title)?.split("\n").slice(1) ?? [];
  const decided = lines("## Your decisions until now").flatMap((line) => line.split(/[\s,]+/));
  const request = situation.slice(situation.indexOf("## The user's request"));
  const descriptions = lines("## Agents");
  const names = namesOf(schema);
  const open = names.filter((name) => !decided.includes(name));
  const describe = (name: string): string => descriptions.find((line) => line.startsWith(`- ${name}: `)) ?? name;
  const next =
    best(open, (name) => shared(describe(name), request), 0) ?? (decided.length === 0 ? names[0] : undefined);
  return next === undefined
    ? { decision: "done", agents: [], result: "" }
    : { decision: "run", agents: [next], result: "" };
}

function namesOf(schema: JsonObject): readonly string[] {
  const names = memberOf(memberOf(memberOf(schema, "properties"), "agents"), "items");
  const values = memberOf(names, "enum");
  return Array.isArray(values) ? values.filter((name) => typeof name === "string") : [];
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) ? value[name] : undefined;
}
