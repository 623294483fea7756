import { type ArtifactService, USER_FILE_PREFIX } from "#kit/artifacts/artifact-service.ts";
import type { Event } from "#kit/events/event.ts";
import { createEventActions, type EventActions, type MutableEventActions } from "#kit/events/event-actions.ts";
import { APP_PREFIX, TEMP_PREFIX, USER_PREFIX } from "#kit/events/state-prefixes.ts";
import { numbered, withoutRewound } from "#kit/history/fold-history.ts";
import type { JsonValue } from "#kit/platform/json.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { setOwn } from "#kit/sessions/state-delta.ts";

/** Where the files are stored whose contents are restored. */
export interface RewindFiles {
  readonly session: SessionKey;
  readonly artifactService: ArtifactService | undefined;
}

/**
 * The actions of an event that rewinds the session to before the invocation: the marker, and the inverse of all changes
 * to the session's own state and files since. State and files shared with other sessions (`app:`, `user:`) are kept. A
 * key that no earlier event has set is removed, because no event contains the state that a session was created with.
 * Undefined if the session has no such invocation, or has rewound it already.
 */
export async function createRewindActions(
  events: readonly Event[],
  invocationId: string,
  files: RewindFiles,
): Promise<EventActions | undefined> {
  const counting = withoutRewound(numbered({ events, firstSequence: 1 }));
  const first = counting.find(({ event }) => event.invocationId === invocationId);
  if (first === undefined) return undefined;
  const from = events.indexOf(first.event);
  const before = events.slice(0, from);
  const undone = events.slice(from);
  const actions = createEventActions({ rewindBeforeInvocationId: invocationId });
  for (const key of changedKeys(undone)) setOwn(actions.stateDelta, key, lastValue(before, key));
  for (const filename of changedFiles(undone)) await restoreFile(before, filename, { files, actions });
  return actions;
}

function changedKeys(events: readonly Event[]): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const { actions } of events) {
    for (const key of Object.keys(actions.stateDelta)) if (!isShared(key)) keys.add(key);
  }
  return keys;
}

function isShared(key: string): boolean {
  return key.startsWith(APP_PREFIX) || key.startsWith(USER_PREFIX) || key.startsWith(TEMP_PREFIX);
}

function lastValue(events: readonly Event[], key: string): JsonValue {
  const last = events.findLast(({ actions }) => Object.hasOwn(actions.stateDelta, key));
  return last?.actions.stateDelta[key] ?? null;
}

function changedFiles(events: readonly Event[]): ReadonlySet<string> {
  const names = events.flatMap(({ actions }) => Object.keys(actions.artifactDelta));
  return new Set(names.filter((name) => !name.startsWith(USER_FILE_PREFIX)));
}

interface Restoring {
  readonly files: RewindFiles;
  readonly actions: MutableEventActions;
}

/** Saves the earlier version as the newest one; deletes a file that did not exist then. */
async function restoreFile(before: readonly Event[], filename: string, { files, actions }: Restoring): Promise<void> {
  const { artifactService, session } = files;
  if (artifactService === undefined) return;
  const version = before.findLast(({ actions: known }) => Object.hasOwn(known.artifactDelta, filename))?.actions
    .artifactDelta[filename];
  const artifact =
    version === undefined ? undefined : await artifactService.loadArtifact({ session, filename }, version);
  if (artifact === undefined) {
    await artifactService.deleteArtifact({ session, filename });
    actions.deletedArtifactIds = [...(actions.deletedArtifactIds ?? []), filename];
    return;
  }
  const saved = await artifactService.saveArtifact({ session, filename, artifact });
  actions.artifactDelta[filename] = saved.version;
}
