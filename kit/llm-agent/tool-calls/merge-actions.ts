import type { MutableEventActions } from "#kit/events/event-actions.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { setOwn } from "#kit/sessions/state-delta.ts";

/** Adds the actions of a later call, which override equal keys; objects in the state are merged key by key. */
export function mergeActions(target: MutableEventActions, later: MutableEventActions): void {
  const { stateDelta, artifactDelta, deletedArtifactIds, ...rest } = later;
  const { requestedAuthConfigs, requestedToolConfirmations, requestedInputs, ...flags } = rest;
  for (const [key, value] of Object.entries(flags)) {
    // A flag that one call has set is not cleared by a call that has not set it.
    if (value !== undefined && value !== false) Object.assign(target, { [key]: value });
  }
  for (const [key, value] of Object.entries(stateDelta)) {
    setOwn(
      target.stateDelta,
      key,
      merged(Object.hasOwn(target.stateDelta, key) ? target.stateDelta[key] : undefined, value),
    );
  }
  Object.assign(target.requestedAuthConfigs, requestedAuthConfigs);
  Object.assign(target.requestedToolConfirmations, requestedToolConfirmations);
  if (requestedInputs !== undefined) target.requestedInputs = { ...target.requestedInputs, ...requestedInputs };
  mergeArtifacts(target, artifactDelta, deletedArtifactIds ?? []);
}

/** Whether there is anything to merge: most calls have no actions. */
export function doesSomething(actions: MutableEventActions): boolean {
  for (const _ in actions.stateDelta) return true;
  for (const _ in actions.artifactDelta) return true;
  for (const _ in actions.requestedAuthConfigs) return true;
  for (const _ in actions.requestedToolConfirmations) return true;
  // Anything besides the four maps.
  return Object.keys(actions).length > 4;
}

function mergeArtifacts(
  target: MutableEventActions,
  saved: Readonly<Record<string, number>>,
  deleted: readonly string[],
): void {
  const gone = new Set(target.deletedArtifactIds);
  for (const name of deleted) {
    delete target.artifactDelta[name];
    gone.add(name);
  }
  for (const [name, version] of Object.entries(saved)) {
    target.artifactDelta[name] = Math.max(version, target.artifactDelta[name] ?? version);
    gone.delete(name);
  }
  if (gone.size > 0) target.deletedArtifactIds = [...gone];
  else if (target.deletedArtifactIds !== undefined) delete target.deletedArtifactIds;
}

function merged(before: JsonValue | undefined, value: JsonValue): JsonValue {
  if (!isJsonObject(before) || !isJsonObject(value)) return value;
  const both: Record<string, JsonValue> = { ...before };
  for (const [key, member] of Object.entries(value)) {
    setOwn(both, key, merged(Object.hasOwn(before, key) ? before[key] : undefined, member));
  }
  return both satisfies JsonObject;
}
