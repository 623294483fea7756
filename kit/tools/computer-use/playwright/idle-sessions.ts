interface Closable {
  close(): Promise<void>;
}

export interface IdleSessionsOptions<Session> {
  readonly maxSessions: number;
  readonly idleMs: number;
  /** Creates a session, which calls `onClosed` when it was closed, also by others. */
  readonly open: (onClosed: () => void) => Session;
}

interface Entry<Session> {
  readonly session: Session;
  readonly timer: NodeJS.Timeout;
}

/** A bounded number of sessions by key. Each is closed when it was not used for a time. */
export class IdleSessions<Session extends Closable> {
  readonly #options: IdleSessionsOptions<Session>;
  readonly #entries = new Map<string, Entry<Session>>();

  constructor(options: IdleSessionsOptions<Session>) {
    this.#options = options;
  }

  /** The key's session, which is opened if there is none; undefined if there are too many. */
  use(key: string): Session | undefined {
    const entry = this.#entries.get(key);
    if (entry !== undefined) {
      entry.timer.refresh();
      return entry.session;
    }
    const { maxSessions, idleMs, open } = this.#options;
    if (this.#entries.size >= maxSessions) return undefined;
    const opened: Entry<Session> = {
      session: open(() => this.#forget(key, opened)),
      timer: setTimeout(() => {
        this.#forget(key, opened);
        // A session that cannot be closed is closed already.
        opened.session.close().catch(() => {});
      }, idleMs).unref(),
    };
    this.#entries.set(key, opened);
    return opened.session;
  }

  async close(): Promise<void> {
    const entries = [...this.#entries];
    for (const [key, entry] of entries) this.#forget(key, entry);
    await Promise.all(entries.map(([, { session }]) => session.close()));
  }

  #forget(key: string, entry: Entry<Session>): void {
    clearTimeout(entry.timer);
    if (this.#entries.get(key) === entry) this.#entries.delete(key);
  }
}
