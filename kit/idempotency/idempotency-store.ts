/** What is known of a call that a client made under a key. */
export interface IdempotencyRecord {
  /** Of what was asked for: a key stands for one request only. */
  readonly fingerprint: string;
  /** The answer that the first call got; absent while it is under way, and when it was too long to be kept. */
  readonly answer?: string;
  readonly isDone: boolean;
}

/**
 * Remembers for a while which calls were made under which keys, so that a repeat of a call that may have got through does no work twice.
 * Shared by all processes that answer clients.
 */
export interface IdempotencyStore {
  /** Claims the key for the caller's request; or what holds it already. A claim that is never completed lapses. */
  claim(key: string, fingerprint: string): Promise<IdempotencyRecord | undefined>;
  /** Keeps the answer for those who repeat the call. */
  complete(key: string, record: Omit<IdempotencyRecord, "isDone">): Promise<void>;
  /** Gives the key back: the call failed and may be tried again. */
  release(key: string): Promise<void>;
}

/** How long a key is remembered after its call. */
export const IDEMPOTENCY_TTL_MS = 24 * 60 * 60 * 1000;
/** A call that is under way for longer was lost with its process. */
export const IDEMPOTENCY_CLAIM_MS = 60_000;
