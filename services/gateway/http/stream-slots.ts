import type { FastifyRequest } from "fastify";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { type CountedUser, NamedCounts, ownerName } from "#shared/metrics/named-counts.ts";
import type { Quotas } from "#shared/quota/quotas.ts";
import { callersTenant } from "../identity/authenticator.ts";
import { callingSubject } from "../identity/calling-subject.ts";

/** A long answer: the response of a request, or its socket. */
export interface LongAnswer {
  readonly request: FastifyRequest;
  readonly raw: { readonly destroyed: boolean; once(event: "close", listener: () => void): unknown };
}

/** A reader that was cut off reconnects within seconds. */
const RETRY_AFTER_SECONDS = "5";

/**
 * Counts each user's open streams in this process, so that one user cannot use up its capacity, and over all processes
 * where the operator's quotas limit them.
 */
export class StreamSlots {
  readonly #mostOfUser: number;
  readonly #quotas: Quotas | undefined;
  readonly #open = new NamedCounts();

  /** 0 for no limit. */
  constructor(mostOfUser: number, quotas?: Quotas) {
    this.#mostOfUser = mostOfUser;
    this.#quotas = quotas;
  }

  /** Takes a slot until the response is closed. Throws `TOO_MANY_STREAMS`, `QUOTA_EXCEEDED` and `QUOTA_UNAVAILABLE`. */
  async take(owner: CountedUser, { request, raw: response }: LongAnswer): Promise<void> {
    const name = ownerName({ ...owner, ...callersTenant(request) });
    if (this.#mostOfUser > 0 && this.#open.of(name) >= this.#mostOfUser) throw tooMany();
    this.#open.add(name, 1);
    const held: (() => void)[] = [() => this.#open.add(name, -1)];
    const leave = (): void => {
      for (const release of held.splice(0)) release();
    };
    response.once("close", leave);
    try {
      const { appName } = owner;
      if (this.#quotas !== undefined)
        held.push(await this.#quotas.hold({ ...callingSubject(request), appName }, "openStreams"));
    } catch (error) {
      leave();
      throw error;
    }
    // The client has left already: nothing is streamed, and "close" is not emitted again.
    if (response.destroyed) leave();
  }
}

function tooMany(): PlatformError {
  return new PlatformError(
    "TOO_MANY_STREAMS",
    "This user has as many streams open here as are allowed (MAX_STREAMS_PER_USER). Close one, or try again soon.",
    { details: { limit: "MAX_STREAMS_PER_USER", retryAfterSeconds: RETRY_AFTER_SECONDS } },
  );
}
