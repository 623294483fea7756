import { decodeBatch } from "#ports/runs/reading/run-batch.ts";
import type { RunLog, RunLogPage } from "#ports/runs/reading/run-log.ts";
import type { CursorPosition } from "#ports/runs/run-stream.ts";
import type { RedisClient } from "./redis-client.ts";
import type { RedisGuard } from "./redis-guard.ts";
import type { RunKeys } from "./run-keys.ts";

/** Batches on a page. The log of a run is bounded in bytes, and so is a page. */
const PAGE_BATCHES = 100;

export class RedisRunLog implements RunLog {
  readonly #redis: RedisClient;
  readonly #guard: RedisGuard;
  readonly #keys: RunKeys;

  constructor(redis: RedisClient, guard: RedisGuard, keys: RunKeys) {
    this.#redis = redis;
    this.#guard = guard;
    this.#keys = keys;
  }

  async read(after: CursorPosition | undefined): Promise<RunLogPage> {
    const { head: headKey, log } = this.#keys;
    const start = after === undefined ? "-" : `(${after.epoch}-${after.n}`;
    // The head is read first: a page that is empty although the head has a later position has lost entries, and was not
    // merely read too early.
    const [head, rows] = await this.#guard.run("read-stream", () =>
      Promise.all([
        this.#redis.hmget(headKey, "epoch", "n", "ended"),
        this.#redis.xrange(log, start, "+", "COUNT", PAGE_BATCHES),
      ]),
    );
    const [epoch, n, ended] = head;
    const batches = rows.map(([, [, payload]]) => decodeBatch(payload ?? "")).filter((batch) => batch !== undefined);
    return {
      batches,
      // A page without a batch that this version can read counts as lost: no reader could continue after it.
      isFull: rows.length === PAGE_BATCHES && batches.length > 0,
      newest: epoch != null && n != null ? { epoch: Number(epoch), n: Number(n) } : undefined,
      ended: ended != null,
    };
  }
}
