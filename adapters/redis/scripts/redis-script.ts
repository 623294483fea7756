import { createHash } from "node:crypto";
import type { RedisClient } from "../redis-client.ts";

/** A Lua script that is sent by its digest, and in full only to a server that does not have it. */
export class RedisScript {
  readonly #source: string;
  readonly #digest: string;

  constructor(source: string) {
    this.#source = source;
    this.#digest = createHash("sha1").update(source).digest("hex");
  }

  async run(redis: RedisClient, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    try {
      return await redis.evalsha(this.#digest, keys.length, ...keys, ...args);
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith("NOSCRIPT"))) throw error;
      return await redis.eval(this.#source, keys.length, ...keys, ...args);
    }
  }
}
