import { hash } from "node:crypto";
import { type TenantScoped, tenantKey } from "#kit/names/tenant.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { RunStreamName } from "#ports/runs/run-stream.ts";
import { sessionName } from "#ports/runs/session-watchers.ts";

const DIGEST_CHARACTERS = 22;

/** A short name of fixed length: it bounds the size of index entries and of notifications. */
export function digestOf(text: string): string {
  return hash("sha256", text, "base64url").slice(0, DIGEST_CHARACTERS);
}

/** Names the stream of a run. Who knows only the run's id does not know it if the run has a stream key. */
export function streamName(runId: string, { streamKey = runId, tenantId }: RunStreamName): string {
  return digestOf(tenantKey(streamKey, tenantId));
}

/** Names a stream in signals. Everybody can listen, and must not learn the stream's name from them. */
export function signalName(stream: string): string {
  return digestOf(stream);
}

export function sessionDigest(session: SessionKey): string {
  return digestOf(sessionName(session));
}

/** A tenant and a text as one text without line breaks. */
export function encodeScoped(text: string, { tenantId }: TenantScoped): string {
  return encodeURIComponent(tenantKey(text.toWellFormed(), tenantId));
}
