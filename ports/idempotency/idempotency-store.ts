/** The record of a call that a client made under a key. */
export interface IdempotencyRecord {
  /** The fingerprint of the request: a key is valid for one request only. */
  readonly fingerprint: string;
  /** The answer of the first call; absent while it is in progress, and if it was too long to be kept. */
  readonly answer?: string;
  readonly isDone: boolean;
}

/**
 * Remembers for a limited time which calls were made under which keys, so that a repeated call does no work twice.
 * Shared by all processes that serve clients. Each tenant has keys of its own.
 */
export interface IdempotencyStore {
  /**
   * Claims the key for the caller's request, or returns the record that already holds it. A claim that is never
   * completed expires.
   */
  claim(key: string, fingerprint: string, tenantId?: string): Promise<IdempotencyRecord | undefined>;
  /** Stores the answer for repeated calls. */
  complete(key: string, record: Omit<IdempotencyRecord, "isDone">, tenantId?: string): Promise<void>;
  /** Deletes the claim: the call failed and may be repeated. */
  release(key: string, tenantId?: string): Promise<void>;
}

/** How long a key is remembered after its call. */
export const IDEMPOTENCY_TTL_MS = 24 * 60 * 60 * 1000;
/** A call that is in progress for longer was lost with its process. */
export const IDEMPOTENCY_CLAIM_MS = 60_000;
