import type { TenantScoped } from "#kit/names/tenant.ts";

/** The ids of the resources that a request names. Never content, and never a token. */
export interface AuditResource {
  readonly appName?: string;
  readonly userId?: string;
  readonly sessionId?: string;
  readonly runId?: string;
  /** The id of the evaluation job. The ids of the sessions that the job creates contain it. */
  readonly jobId?: string;
  readonly artifactName?: string;
  /** The id of anything else, such as an evaluation set, an API key or a tenant. */
  readonly id?: string;
}

/** One decision on a request. */
export interface AuditDecision extends TenantScoped {
  readonly kind: "decision";
  /** When it was made, in milliseconds since the epoch. */
  readonly timeMs: number;
  /** The stable name of the caller. */
  readonly subject: string;
  readonly keyId?: string;
  /** The client's address, on refusals. */
  readonly address?: string;
  /** The operation's id. */
  readonly action: string;
  readonly resource: AuditResource;
  readonly decision: "allowed" | "refused";
  /** The reason of the refusal, or the scope that lets the caller access another user. */
  readonly reason?: string;
  readonly requestId: string;
  /** How many equal refusals the record represents, if more than one. `timeMs` and `requestId` are the last one's. */
  readonly count?: number;
}

/** The event that a record describes. */
export type AuditEvent =
  | AuditDecision
  /** A process has begun to write to the log. */
  | { readonly kind: "start"; readonly timeMs: number; readonly version: string }
  /** `count` decisions were not recorded, because the log could not be written. `timeMs` is that of the first one. */
  | { readonly kind: "lost"; readonly timeMs: number; readonly count: number }
  /**
   * The log ended with a part of a record, because its writer was killed; the part is kept in this file next to the
   * log.
   */
  | { readonly kind: "torn"; readonly timeMs: number; readonly bytes: number; readonly keptIn: string }
  /**
   * Records that were written are missing from the log: all between the record with the number `after` and this one.
   */
  | { readonly kind: "gap"; readonly timeMs: number; readonly after: number };
