import type { JsonValue } from "../platform/json.ts";
import type { FunctionCall, Part } from "./content.ts";
import { type Event, USER_AUTHOR } from "./event.ts";

/**
 * The events that runs wrote. Only what they contain may be resumed, answered or executed: the others were imported by a
 * client or appended by a program, and are history for prompts.
 */
export function recordedEvents(events: readonly Event[]): readonly Event[] {
  return events.some(isOutside) ? events.filter((event) => !isOutside(event)) : events;
}

/**
 * Of the calls in the parts, those that a run has recorded as an answer of an agent. The newest event with the call
 * decides.
 */
export function recordedCalls(events: readonly Event[], parts: readonly Part[]): ReadonlySet<Part> {
  const sought = Map.groupBy(parts, ({ functionCall }) => nameOf(functionCall));
  const recorded = new Set<Part>();
  for (let index = events.length - 1; index >= 0 && sought.size > 0; index -= 1) {
    const event = events[index];
    for (const { functionCall } of event?.content?.parts ?? []) {
      if (functionCall === undefined || event === undefined) continue;
      const name = nameOf(functionCall);
      if (!isOutside(event) && event.author !== USER_AUTHOR)
        for (const part of sought.get(name) ?? []) recorded.add(part);
      sought.delete(name);
    }
  }
  return recorded;
}

/**
 * The value that a run's agents and tools gave the state's key last, whatever clients have written there since;
 * undefined if its event is not loaded.
 */
export function recordedValue(events: readonly Event[], key: string): JsonValue | undefined {
  const isOfAgents = (event: Event): boolean => !isOutside(event) && event.author !== USER_AUTHOR;
  const newest = events.findLast((event) => isOfAgents(event) && Object.hasOwn(event.actions.stateDelta, key));
  return newest?.actions.stateDelta[key];
}

function nameOf({ id = "", name = "" }: FunctionCall = {}): string {
  return JSON.stringify([id, name]);
}

function isOutside({ outside }: Event): boolean {
  return outside === true;
}
