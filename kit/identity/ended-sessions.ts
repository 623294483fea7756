/** A session of a page, as records of its end name it. */
export interface EndedSession {
  readonly id: string;
  /** The tenant `default` if absent. */
  readonly tenantId?: string | undefined;
}

/** The sessions of pages that were ended before they expired, over all processes that accept their cookies. */
export interface EndedSessions {
  /** Keeps that the session has ended for `forMs`, after which no copy of its cookies is valid. Rejects if it cannot. */
  add(session: EndedSession, forMs: number): Promise<void>;
  /** Rejects if that cannot be read. */
  has(session: EndedSession): Promise<boolean>;
}
