import type { ResumabilityConfig } from "#kit/core/app.ts";
import { createEvent as createCompleteEvent, type Event, type EventInput } from "#kit/events/event.ts";
import { createEventActions, type EventActions } from "#kit/events/event-actions.ts";
import { systemClock } from "#kit/platform/clock.ts";
import { UuidV7Generator } from "#kit/platform/id-generator.ts";
import { withDefaults } from "#kit/platform/members.ts";
import type { Session } from "#kit/sessions/session.ts";

const ids = new UuidV7Generator();

/** An event of which any member may be absent. */
export type CreateEventParams = Partial<Omit<EventInput, "actions">> & { readonly actions?: Partial<EventActions> };

/**
 * Creates an event. An absent `id` is generated, an absent `timestamp` is the current time, absent actions are empty,
 * and an absent `invocationId` or `author` is the empty text. Agents set both; `context.createEvent` does it for them.
 */
export function createEvent(params: CreateEventParams = {}): Event {
  const { id = ids.next(), invocationId = "", author = "", timestamp = systemClock.now(), actions, ...rest } = params;
  return createCompleteEvent({ ...rest, id, invocationId, author, timestamp, actions: createEventActions(actions) });
}

/** A session object with empty state and history unless they are given. Nothing is stored. */
export function createSession(params: Partial<Session> & Pick<Session, "id" | "appName">): Session {
  return withDefaults<Session>(
    { id: params.id, appName: params.appName, userId: "", state: {}, events: [], lastUpdateTime: 0, revision: 0 },
    params,
  );
}

/** Creates the configuration; `isResumable` is false if it is left out. */
export function createResumabilityConfig({
  isResumable = false,
}: Partial<ResumabilityConfig> = {}): ResumabilityConfig {
  return { isResumable };
}
