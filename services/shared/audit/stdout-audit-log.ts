import { type ChainHead, emptyChain, type SealedRecord } from "#ports/audit/audit-chain.ts";
import type { AuditLog } from "#ports/audit/audit-log.ts";

/** Writes some of the bytes and returns how many. */
export type WriteSome = (bytes: Buffer) => Promise<number>;

/**
 * Writes each record as a line of the process's output. Each start begins a chain. Each line is one write, so that it
 * stays whole beside the lines of the process's log, which other threads write: a pipe keeps up to 4 KiB together.
 */
export class StdoutAuditLog implements AuditLog {
  readonly found = [];
  readonly #write: WriteSome;
  #head: ChainHead;
  /** The part of the next line that is not written yet, after a failure. */
  #rest: Buffer | undefined;

  constructor(chain: string, write: WriteSome) {
    this.#head = emptyChain(chain);
    this.#write = write;
  }

  get head(): ChainHead {
    return this.#head;
  }

  async append(records: readonly SealedRecord[]): Promise<void> {
    for (const record of records) {
      if (record.seq <= this.#head.seq) continue;
      let rest = this.#rest ?? Buffer.from(`${record.line}\n`);
      while (rest.length > 0) {
        this.#rest = rest;
        rest = rest.subarray(await this.#write(rest));
      }
      this.#rest = undefined;
      this.#head = record;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}
