import { isDeepStrictEqual } from "node:util";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { eventFromJson } from "#kit/events/event-json.ts";
import type { RunJournal } from "#kit/sessions/run-journal.ts";
import type { SessionService } from "#kit/sessions/session-service.ts";

type SessionStore = SessionService & RunJournal;

/** Stores that lack one essential guarantee each. The suite has to detect each of them. */

/** A late write succeeds although another holder has the lease. */
export function withoutFence(store: SessionStore): SessionStore {
  return override(store, {
    append: async (request) => {
      try {
        return await store.append(request);
      } catch (error) {
        if (!(error instanceof PlatformError && error.reason === "LEASE_LOST")) throw error;
        const session = await store.getSession(request.lease.session);
        if (session === undefined) throw error;
        for (const { json } of request.events) await store.appendEvent(session, eventFromJson(json));
        return { lease: request.lease, revision: 0, stored: [], missed: [], cancelRequested: false };
      }
    },
  });
}

/** A repeated event is stored as a new one. */
export function withoutDedupe(store: SessionStore): SessionStore {
  const known = new Set<string>();
  return override(store, {
    append: async (request) => {
      const events = request.events.map((event) => {
        if (!known.has(event.id)) {
          known.add(event.id);
          return event;
        }
        const id = `${event.id} again`;
        return { ...event, id, json: event.json.replace(JSON.stringify(event.id), JSON.stringify(id)) };
      });
      return await store.append(isDeepStrictEqual(events, request.events) ? request : { ...request, events });
    },
  });
}

function override(store: SessionStore, changes: Partial<SessionStore>): SessionStore {
  return new Proxy(store, {
    get: (target, name) => {
      // Names of the port's methods.
      const change = changes[name as keyof SessionStore];
      if (change !== undefined) return change;
      const own: unknown = Reflect.get(target, name);
      return typeof own === "function" ? own.bind(target) : own;
    },
  });
}
