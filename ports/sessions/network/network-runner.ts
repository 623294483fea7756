import { BoundedCache } from "#kit/cache/bounded-cache.ts";
import { SessionError } from "#kit/errors/session-errors.ts";
import { KeyedMutex } from "#kit/platform/keyed-mutex.ts";
import type { Sleep } from "#kit/platform/sleep.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { untilCommitted } from "#ports/rows/change-rows.ts";
import type { OperationRunner } from "#ports/sessions/operation-runner.ts";
import { RunOperations } from "#ports/sessions/run-operations.ts";
import type { OperationsOptions } from "#ports/sessions/session-operations.ts";
import type { Operation } from "#ports/sessions/session-reads.ts";
import { DraftTables } from "./draft-tables.ts";
import { HeadMemory, sessionName } from "./head-memory.ts";
import type { NetworkHead, SessionDatabase } from "./session-database.ts";

export interface NetworkRunnerOptions<Version> extends OperationsOptions {
  readonly database: SessionDatabase<Version>;
  /** Waits between attempts when writers compete for one session. */
  readonly sleep?: Sleep | undefined;
  /** The longest of these waits. */
  readonly maxPauseMs?: number | undefined;
  /** How many sessions' heads are remembered, so that a run's appends need no reads. */
  readonly maxRememberedSessions?: number | undefined;
}

type Start<Version, T> = (operations: RunOperations<NetworkHead<Version>>) => Operation<T>;

/** Undefined if the operation must be decided again. */
type Decided<T> = { readonly value: T } | undefined;

/** The first one uses what is remembered, the second one reads, and further ones take their turn. */
const OPTIMISTIC_ATTEMPTS = 2;
const MAX_CONTENDED_SESSIONS = 1_000;
const MAX_READ_ATTEMPTS = 3;
const DEFAULT_REMEMBERED_SESSIONS = 10_000;

/**
 * The loop of every store on a network: read what the operation declares, decide, and commit under the condition that the
 * head has not changed. If it has changed, another attempt reads and decides again. There are no locks and no
 * transactions that wait for a process, but for a session that several processes write at the same time (`inTurn`).
 */
export class NetworkRunner<Version> implements OperationRunner<NetworkHead<Version>> {
  readonly #options: NetworkRunnerOptions<Version>;
  readonly #memory: HeadMemory<Version>;
  /** Sessions that other processes write too, with the revision after this process's last turn. Not in `#memory`. */
  readonly #contended = new BoundedCache<number>(MAX_CONTENDED_SESSIONS);
  /** Concurrent writers of one process to one session would only invalidate each other's preconditions. */
  readonly #queue = new KeyedMutex();

  constructor(options: NetworkRunnerOptions<Version>) {
    this.#options = options;
    this.#memory = new HeadMemory(options.maxRememberedSessions ?? DEFAULT_REMEMBERED_SESSIONS);
  }

  async read<T>(start: Start<Version, T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      const tables = new DraftTables(this.#options.database.attempt(), this.#options);
      const value = await this.#decide(tables, start);
      if (!tables.isTorn || attempt >= MAX_READ_ATTEMPTS) return value;
    }
  }

  write<T>(start: Start<Version, T>, session?: SessionKey): Promise<T> {
    const { sleep, maxPauseMs } = this.#options;
    const write = () => {
      let lost = 0;
      return untilCommitted(
        async () => {
          const decided = await this.#attempt(start, session, lost);
          lost += decided === undefined ? 1 : 0;
          return decided;
        },
        sleep,
        maxPauseMs,
      );
    };
    return session === undefined ? write() : this.#queue.run(sessionName(session), write);
  }

  #attempt<T>(start: Start<Version, T>, session: SessionKey | undefined, lost: number): Promise<Decided<T>> {
    const { database } = this.#options;
    const name = session && sessionName(session);
    const ownRevision = name && this.#contended.get(name);
    const isContended = lost >= OPTIMISTIC_ATTEMPTS || ownRevision !== undefined;
    if (!isContended || name === undefined || session === undefined || database.inTurn === undefined)
      return this.#optimistic(start, session);
    return database.inTurn(session, async (attempt) => {
      const tables = new DraftTables(attempt, this.#options);
      const value = await this.#decide(tables, start);
      const { change } = tables;
      if ((await attempt.commit(change)) === undefined && change !== undefined) return undefined;
      // Whether others have written since this process had its turn decides about the next write.
      const isAlone = change?.before?.revision === ownRevision;
      if (isAlone || change === undefined) this.#contended.delete(name);
      else this.#contended.set(name, change.head.revision);
      return { value };
    });
  }

  async #optimistic<T>(start: Start<Version, T>, session: SessionKey | undefined): Promise<Decided<T>> {
    const attempt = this.#options.database.attempt();
    const tables = new DraftTables(attempt, this.#options, this.#memory);
    let isKept = false;
    try {
      const value = await this.#decide(tables, start);
      const { change, usedMemory } = tables;
      if (usedMemory && change === undefined) return undefined;
      const version = await attempt.commit(change);
      if (change === undefined) return { value };
      if (version === undefined) return undefined;
      isKept = change.kind !== "delete";
      if (isKept) this.#memory.set(change.head, version);
      return { value };
    } catch (error) {
      // A refusal based on remembered data is not final: the data may be out of date.
      if (tables.usedMemory && error instanceof SessionError) return undefined;
      throw error;
    } finally {
      const changed = session ?? tables.change?.head.key;
      if (!isKept && changed !== undefined) this.#memory.forget(changed);
    }
  }

  async #decide<T>(tables: DraftTables<Version>, start: Start<Version, T>): Promise<T> {
    const operation = start(new RunOperations(tables, this.#options));
    for (;;) {
      const { done, value } = operation.next();
      if (done) return value;
      await tables.load(value);
    }
  }
}
