import { createEventActions } from "#kit/events/event-actions.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import { isJson } from "./is-json.ts";
import type { DecisionEvent } from "./planner-action.ts";

interface MemberRule {
  readonly must: string;
  readonly accepts: (value: unknown) => boolean;
}

const text: MemberRule = { must: "a text", accepts: (value) => typeof value === "string" };
const object: MemberRule = { must: "an object", accepts: isJsonObject };

const RULES: Readonly<Record<keyof DecisionEvent, MemberRule>> = {
  content: { must: "{ role, parts: [ … ] }", accepts: isContent },
  actions: { must: "an object whose stateDelta and artifactDelta are objects", accepts: isActions },
  errorCode: text,
  errorMessage: text,
  usageMetadata: object,
  modelVersion: text,
  customMetadata: { must: "JSON", accepts: isJson },
};

/** The problem of an action's event as a sentence; undefined if there is none. */
export function decisionEventProblem(event: unknown): string | undefined {
  if (!isJsonObject(event)) return "its event is not an object: set members such as `content`.";
  for (const [name, { must, accepts }] of Object.entries(RULES)) {
    if (event[name] !== undefined && !accepts(event[name])) return `the ${name} of its event must be ${must}.`;
  }
  return undefined;
}

/**
 * Copies the members of a decision's event, and none that determine its identity, author or kind. The event must have no
 * problem.
 */
export function copyDecisionEvent(event: DecisionEvent): DecisionEvent {
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(RULES)) {
    const value: unknown = Reflect.get(event, name);
    if (value !== undefined) copy[name] = value;
  }
  // Plain JavaScript may leave out some of the maps of actions.
  if (event.actions !== undefined) copy["actions"] = createEventActions(event.actions);
  // The rules have checked each member.
  return copy as DecisionEvent;
}

function isContent(content: unknown): boolean {
  if (!isJsonObject(content)) return false;
  const { role, parts } = content;
  const isRole = role === undefined || typeof role === "string";
  return isRole && (parts === undefined || (Array.isArray(parts) && parts.every(isJsonObject)));
}

const MAPS = ["stateDelta", "artifactDelta", "requestedAuthConfigs", "requestedToolConfirmations"] as const;

function isActions(actions: unknown): boolean {
  return isJsonObject(actions) && MAPS.every((name) => isMap(actions, name));
}

function isMap(actions: JsonObject, name: (typeof MAPS)[number]): boolean {
  return actions[name] === undefined || isJsonObject(actions[name]);
}
