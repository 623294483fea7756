/** Names a sign-in session of a browser. */
export interface EndedSession {
  readonly id: string;
  /** The tenant `default` if absent. */
  readonly tenantId?: string | undefined;
}

/**
 * The sign-in sessions of browsers that were ended before they expired. Shared by all processes that accept their
 * cookies.
 */
export interface EndedSessions {
  /**
   * Records for `forMs` milliseconds that the session has ended; afterwards every copy of its cookies has expired.
   * Rejects if the record cannot be written.
   */
  add(session: EndedSession, forMs: number): Promise<void>;
  /** Whether the session has ended. Rejects if the records cannot be read. */
  has(session: EndedSession): Promise<boolean>;
}
