import { PlatformError } from "#kit/errors/platform-error.ts";
import type { StoredEvent } from "#kit/events/event-record.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { OperationRunner } from "#ports/sessions/operation-runner.ts";
import type { SessionHead } from "#ports/sessions/session-head.ts";
import type { OutsideAppend } from "#ports/sessions/session-operations.ts";
import { sessionName } from "./head-memory.ts";

interface Waiting {
  readonly append: OutsideAppend;
  readonly resolve: (news: readonly StoredEvent[]) => void;
  readonly reject: (error: unknown) => void;
}

const MAX_APPENDS_OF_WRITE = 32;
/** Characters of events. A single one may be longer. */
const MAX_CHARACTERS_OF_WRITE = 1024 * 1024;

/**
 * Appends from outside of runs: those that arrive for one session while another write of it is in progress are stored
 * together, so that twenty writers wait for two commits and not for twenty.
 */
export class SharedAppends<Head extends SessionHead> {
  readonly #runner: OperationRunner<Head>;
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(runner: OperationRunner<Head>) {
    this.#runner = runner;
  }

  append(append: OutsideAppend): Promise<readonly StoredEvent[]> {
    return new Promise((resolve, reject) => {
      const name = sessionName(append.session);
      const waiting = this.#waiting.get(name);
      if (waiting !== undefined) {
        waiting.push({ append, resolve, reject });
        return;
      }
      this.#waiting.set(name, [{ append, resolve, reject }]);
      void this.#write(name, append);
    });
  }

  async #write(name: string, { session }: OutsideAppend): Promise<void> {
    let batch: readonly Waiting[] | undefined;
    try {
      await this.#store(session, () => {
        // Taken when the session's earlier writes have ended, and kept for further attempts.
        batch ??= this.#take(name);
        return batch;
      });
    } catch (error) {
      const all = batch ?? this.#take(name);
      if (all.length > 1 && !isTemporary(error)) await this.#storeEachAlone(session, all);
      else for (const { reject } of all) reject(error);
    }
  }

  /** The cause is often a single event, such as one that is too long for the database. */
  async #storeEachAlone(session: SessionKey, batch: readonly Waiting[]): Promise<void> {
    for (const waiting of batch) await this.#store(session, () => [waiting]).catch(waiting.reject);
  }

  async #store(session: SessionKey, batch: () => readonly Waiting[]): Promise<void> {
    const outcomes = await this.#runner.write((operations) => {
      const appends = batch().map(({ append }) => append);
      return operations.appendEvents(session, appends);
    }, session);
    for (const [index, { resolve, reject }] of batch().entries()) {
      const outcome = outcomes[index] ?? [];
      if (outcome instanceof PlatformError) reject(outcome);
      else resolve(outcome);
    }
  }

  /** The first appends that fit into one write; another write is queued for the others. */
  #take(name: string): readonly Waiting[] {
    const waiting = this.#waiting.get(name) ?? [];
    let [count, characters] = [0, 0];
    for (const { append } of waiting) {
      characters += append.record.json.length;
      if (count > 0 && (count === MAX_APPENDS_OF_WRITE || characters > MAX_CHARACTERS_OF_WRITE)) break;
      count += 1;
    }
    const rest = waiting.slice(count);
    this.#waiting.delete(name);
    const [next] = rest;
    if (next !== undefined) {
      this.#waiting.set(name, rest);
      void this.#write(name, next.append);
    }
    return waiting.slice(0, count);
  }
}

function isTemporary(error: unknown): boolean {
  return error instanceof PlatformError && error.reason === "STORE_UNAVAILABLE";
}
