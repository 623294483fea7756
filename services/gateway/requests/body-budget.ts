import type { IncomingMessage, ServerResponse } from "node:http";
import { ConfigurationException } from "#kit/errors/kit-errors.ts";
import type { GatewayConfig } from "../config.ts";

/** The limit of routes whose bodies may carry files. */
export function fileBodyLimit(config: Pick<GatewayConfig, "MAX_BODY_BYTES" | "MAX_FILE_BODY_BYTES">): number {
  return Math.max(config.MAX_BODY_BYTES, config.MAX_FILE_BODY_BYTES);
}

/** An API key is far shorter. */
const MAX_PUBLIC_BODY_BYTES = 4096;

/** The limit of routes that need no credentials: what anybody sends must not use up the room for the bodies of callers. */
export function publicBodyLimit({ MAX_BODY_BYTES }: Pick<GatewayConfig, "MAX_BODY_BYTES">): number {
  return Math.min(MAX_PUBLIC_BODY_BYTES, MAX_BODY_BYTES);
}

/** Counts the bytes of request bodies in the process's memory, over all requests. */
export class BodyBudget {
  readonly #maxBytes: number;
  #usedBytes = 0;

  constructor(config: Pick<GatewayConfig, "MAX_BODY_BYTES" | "MAX_FILE_BODY_BYTES" | "MAX_BODY_BYTES_IN_FLIGHT">) {
    const { MAX_BODY_BYTES_IN_FLIGHT } = config;
    const largest = fileBodyLimit(config);
    if (MAX_BODY_BYTES_IN_FLIGHT < largest)
      throw new ConfigurationException(
        `MAX_BODY_BYTES_IN_FLIGHT is ${MAX_BODY_BYTES_IN_FLIGHT}, less than the largest body of ${largest} bytes, which could never be sent. Make it larger, or MAX_BODY_BYTES and MAX_FILE_BODY_BYTES smaller.`,
      );
    this.#maxBytes = MAX_BODY_BYTES_IN_FLIGHT;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** Opens the share of a request. It is released at the latest when the answer is sent or the connection is lost. */
  open(request: IncomingMessage, response: ServerResponse): void {
    const share = new BodyShare(this);
    SHARES.set(request, share);
    response.once("close", () => share.release());
  }

  /** Reserves that many bytes if they fit; returns whether they did. */
  take(bytes: number): boolean {
    if (this.#usedBytes + bytes > this.#maxBytes) return false;
    this.#usedBytes += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#usedBytes -= bytes;
  }
}

const SHARES = new WeakMap<IncomingMessage, BodyShare>();

export function bodyShareOf(request: IncomingMessage): BodyShare | undefined {
  return SHARES.get(request);
}

/** Releases a body that has been passed on, as the answer may take minutes. */
export function releaseBody(request: { readonly raw: IncomingMessage; body?: unknown }): void {
  request.body = undefined;
  SHARES.get(request.raw)?.release();
}

/**
 * The share of one request in the budget. Bytes count as they arrive: a length that is only announced reserves nothing.
 */
export class BodyShare {
  readonly #budget: BodyBudget;
  #bytes = 0;
  #isReleased = false;

  constructor(budget: BodyBudget) {
    this.#budget = budget;
  }

  /** Reserves that many more bytes if they fit. */
  take(bytes: number): boolean {
    if (this.#isReleased) return true;
    if (!this.#budget.take(bytes)) return false;
    this.#bytes += bytes;
    return true;
  }

  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#budget.give(this.#bytes);
  }
}
