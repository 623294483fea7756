import type { ServerResponse } from "node:http";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { NamedCounts, type Owner, ownerName } from "#shared/metrics/named-counts.ts";

/** A reader that was cut off reconnects within seconds. */
const RETRY_AFTER_SECONDS = "5";

/** Counts each user's open streams in this process, so that one user cannot use up its capacity. */
export class StreamSlots {
  readonly #mostOfUser: number;
  readonly #open = new NamedCounts();

  /** 0 for no limit. */
  constructor(mostOfUser: number) {
    this.#mostOfUser = mostOfUser;
  }

  /** Takes a slot until the response is closed. Throws `TOO_MANY_STREAMS`. */
  take(owner: Owner, response: ServerResponse): void {
    const name = ownerName(owner);
    if (this.#mostOfUser > 0 && this.#open.of(name) >= this.#mostOfUser) throw tooMany();
    // The client has left already: nothing is streamed, and "close" is not emitted again.
    if (response.destroyed) return;
    this.#open.add(name, 1);
    response.once("close", () => this.#open.add(name, -1));
  }
}

function tooMany(): PlatformError {
  return new PlatformError(
    "TOO_MANY_STREAMS",
    "This user has as many streams open here as are allowed (MAX_STREAMS_PER_USER). Close one, or try again soon.",
    { details: { limit: "MAX_STREAMS_PER_USER", retryAfterSeconds: RETRY_AFTER_SECONDS } },
  );
}
