import { Redis } from "ioredis";
import { RedisRunStream } from "#adapters/redis/redis-run-stream.ts";
import type { PublishedEntry, RunStreamEntry } from "#ports/runs/run-stream.ts";
import { RedisServer } from "#tooling/emulators/redis-server.ts";
import { FaultProxy } from "#tooling/processes/fault-proxy.ts";
import { eventually } from "./timing.ts";

/** The operations on a run's stream, in any order. */
export type StreamStep = "publish" | "cut" | "heal";

/** A publisher with a good link to Redis, and readers whose link can be cut. */
export class StreamWorld implements AsyncDisposable {
  readonly #stack = new AsyncDisposableStack();
  readonly #publisher: RedisRunStream;
  readonly #readers: RedisRunStream;
  readonly #link: FaultProxy;
  #runs = 0;

  private constructor(redis: RedisServer, link: FaultProxy, weaken: (redis: Redis) => Redis) {
    this.#link = link;
    this.#stack.use(redis);
    this.#stack.use(link);
    const near = this.#connect(redis.port);
    const far = weaken(this.#connect(link.port));
    this.#publisher = this.#stack.use(new RedisRunStream({ redis: near }));
    this.#readers = this.#stack.use(new RedisRunStream({ redis: far, idleCheckMs: 200 }));
  }

  static async open(weaken: (redis: Redis) => Redis = (redis) => redis): Promise<StreamWorld> {
    const redis = await RedisServer.start();
    return new StreamWorld(redis, await FaultProxy.to(redis.port), weaken);
  }

  /** Reads one run while the steps happen. Throws if the reader did not get each entry once, in order. */
  async play(steps: readonly StreamStep[], patienceMs: number): Promise<void> {
    this.#runs += 1;
    const runId = `run-${this.#runs}`;
    const controller = new AbortController();
    const got: RunStreamEntry[] = [];
    await this.#publish(runId, 1);
    const reading = this.#read(runId, got, controller.signal);
    await eventually("the reader has begun", () => got.length > 0);
    let n = 1;
    for (const step of steps) {
      if (step === "cut") {
        this.#link.set({ kind: "refuse" });
        this.#link.reset();
      } else if (step === "heal") this.#link.heal();
      else {
        n += 1;
        await this.#publish(runId, n);
      }
    }
    this.#link.heal();
    n += 1;
    await this.#publisher.publish(runId, [{ kind: "end", epoch: 1, n, status: "succeeded" }]);
    try {
      await eventually("the end", () => got.at(-1)?.kind === "end", patienceMs);
    } catch {
      throw new Error(`I3 the reader waits for ever behind ${places(got).at(-1)}`);
    } finally {
      controller.abort();
      await reading;
    }
    const expected = Array.from({ length: n }, (_, index) => index + 1).join();
    // A reader that cannot reach Redis for some time gets `resync`, and afterwards what it lacks.
    const entries = steps.includes("cut") ? got.filter(({ kind }) => kind !== "resync") : got;
    if (places(entries).join() !== expected)
      throw new Error(`I3 the reader got ${places(got).join()}, not ${expected}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#link.heal();
    await this.#stack.disposeAsync();
  }

  #connect(port: number): Redis {
    const redis = new Redis(port, "127.0.0.1", { maxRetriesPerRequest: 1, retryStrategy: () => 20 });
    redis.on("error", () => {});
    this.#stack.defer(() => redis.disconnect());
    return redis;
  }

  #publish(runId: string, n: number): Promise<void> {
    const entry: PublishedEntry = { kind: "event", epoch: 1, n, eventId: `e${n}`, json: "{}", partial: true };
    return this.#publisher.publish(runId, [entry]);
  }

  async #read(runId: string, got: RunStreamEntry[], signal: AbortSignal): Promise<void> {
    for await (const batch of this.#readers.subscribe(runId, { signal })) got.push(...batch);
  }
}

function places(entries: readonly RunStreamEntry[]): readonly (number | string)[] {
  return entries.map((entry) => (entry.kind === "resync" ? "resync" : entry.n));
}

/** A connection whose log can only be read from its beginning, never from a position, so that gaps remain. */
export function withoutGapRepair(redis: Redis): Redis {
  return new Proxy(redis, {
    get: (target, name) => {
      const own: unknown = Reflect.get(target, name);
      if (typeof own !== "function") return own;
      if (name !== "xrange") return own.bind(target);
      return (key: string, start: string, ...rest: unknown[]): Promise<unknown> =>
        start === "-" ? own.call(target, key, start, ...rest) : Promise.resolve([]);
    },
  });
}
