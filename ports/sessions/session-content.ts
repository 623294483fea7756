import { tenantOf } from "#kit/names/tenant.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { type ContentPlace, type ContentSealer, plainContent } from "#ports/encryption/content-sealer.ts";

type StateOwner = Omit<SessionKey, "id">;

/** Encrypts and decrypts the content of a store of sessions, bound to the place where it is stored. */
export class SessionContent {
  readonly #sealer: ContentSealer;

  constructor(sealer: ContentSealer = plainContent) {
    this.#sealer = sealer;
  }

  /** The event's JSON. */
  sealEvent(session: SessionKey, sequence: number, json: string): string {
    return this.#sealer.sealText(json, ofSession(session, "event", sequence));
  }

  openEvent(session: SessionKey, sequence: number, text: string): string {
    return this.#sealer.openText(text, ofSession(session, "event", sequence));
  }

  /** The JSON of a run's request, or of its error. */
  sealOfRun(session: SessionKey, runId: string, member: "request" | "error", json: string): string {
    return this.#sealer.sealText(json, ofSession(session, member, runId));
  }

  openOfRun(session: SessionKey, runId: string, member: "request" | "error", text: string): string {
    return this.#sealer.openText(text, ofSession(session, member, runId));
  }

  /** The JSON of the session's state, or of the value of one of its keys. */
  sealState(session: SessionKey, json: string, key = ""): string {
    return this.#sealer.sealText(json, ofSession(session, "state", key));
  }

  openState(session: SessionKey, text: string, key = ""): string {
    return this.#sealer.openText(text, ofSession(session, "state", key));
  }

  /** The JSON of one value of an app's or a user's state. */
  sealShared(scope: "app" | "user", owner: StateOwner, key: string, json: string): string {
    return this.#sealer.sealText(json, ofShared(scope, owner, key));
  }

  openShared(scope: "app" | "user", owner: StateOwner, key: string, text: string): string {
    return this.#sealer.openText(text, ofShared(scope, owner, key));
  }
}

function ofSession(session: SessionKey, kind: string, name: string | number): ContentPlace {
  const { appName, userId, id } = session;
  return { tenantId: tenantOf(session), parts: [kind, appName, userId, id, name] };
}

function ofShared(scope: "app" | "user", owner: StateOwner, key: string): ContentPlace {
  const { appName, userId } = owner;
  const parts = scope === "app" ? ["app-state", appName, key] : ["user-state", appName, userId, key];
  return { tenantId: tenantOf(owner), parts };
}
