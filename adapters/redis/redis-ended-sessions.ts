import type { EndedSession, EndedSessions } from "#ports/api-keys/ended-sessions.ts";
import type { RedisClient } from "./redis-client.ts";
import { RedisGuard } from "./redis-guard.ts";
import type { RedisObserver } from "./redis-observer.ts";
import { checkKeyPrefix, DEFAULT_KEY_PREFIX, tenantPrefix } from "./run-keys.ts";

export interface RedisEndedSessionsOptions {
  /** The caller closes it. */
  readonly redis: RedisClient;
  /** The release's prefix of every key; default `fairlead`. */
  readonly keyPrefix?: string | undefined;
  readonly observer?: RedisObserver | undefined;
}

/** A key for each session that has ended, which expires with the session's cookies. */
export class RedisEndedSessions implements EndedSessions, AsyncDisposable {
  readonly #redis: RedisClient;
  readonly #guard: RedisGuard;
  readonly #prefix: string;

  constructor({ redis, keyPrefix = DEFAULT_KEY_PREFIX, observer }: RedisEndedSessionsOptions) {
    this.#redis = redis;
    this.#guard = new RedisGuard(redis, observer);
    this.#prefix = checkKeyPrefix(keyPrefix);
  }

  async add(session: EndedSession, forMs: number): Promise<void> {
    const name = this.#name(session);
    await this.#guard.run("end-session", () => this.#redis.set(name, "1", "PX", Math.max(1, Math.ceil(forMs))));
  }

  async has(session: EndedSession): Promise<boolean> {
    const name = this.#name(session);
    return (await this.#guard.run("check-session", () => this.#redis.get(name))) !== null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#guard.dispose();
  }

  #name({ id, tenantId }: EndedSession): string {
    return `${tenantPrefix(this.#prefix, tenantId)}:ended:${id}`;
  }
}
