import type { ServerResponse } from "node:http";
import type { onRequestHookHandler } from "fastify";
import { PlatformError } from "#kit/errors/platform-error.ts";

/**
 * The answers in progress of routes that are mounted in another program's server. When this server closes it refuses
 * requests, waits for these answers, and cuts off those that do not end.
 */
export class OpenAnswers {
  readonly #open = new Set<ServerResponse>();
  #isEnding = false;
  #whenNone: (() => void) | undefined;

  /** Counts each request of the routes; answers 503 after `end` was called. */
  readonly hook: onRequestHookHandler = (_request, { raw }, done) => {
    if (this.#isEnding) {
      done(new PlatformError("SERVER_SHUTTING_DOWN", "The server is closing."));
      return;
    }
    this.#open.add(raw);
    raw.once("close", () => {
      this.#open.delete(raw);
      if (this.#open.size === 0) this.#whenNone?.();
    });
    done();
  };

  /** Accepts no new requests. Resolves when all answers have ended. */
  async end(): Promise<void> {
    this.#isEnding = true;
    if (this.#open.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#whenNone = resolve;
    });
  }

  /** Closes the connections of the answers that are left. */
  cutOff(): void {
    for (const response of this.#open) response.destroy();
  }
}
