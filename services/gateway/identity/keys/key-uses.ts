import type { Logger } from "#kit/platform/logger.ts";
import type { KeyStore } from "#ports/api-keys/key-store.ts";

const WRITE_EVERY_MS = 60_000;

export interface KeyUsesOptions {
  readonly store: Pick<KeyStore, "recordUses">;
  readonly logger: Logger;
}

/**
 * Collects the times at which keys are used. Writes them once a minute, outside of requests, and when it is disposed
 * of.
 */
export class KeyUses implements AsyncDisposable {
  readonly #options: KeyUsesOptions;
  readonly #timer;
  #uses = new Map<string, number>();

  constructor(options: KeyUsesOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.write(), WRITE_EVERY_MS).unref();
  }

  add(keyId: string, usedAtMs: number): void {
    this.#uses.set(keyId, usedAtMs);
  }

  /** Writes the uses since the last time. What cannot be written is written the next time. Never throws. */
  async write(): Promise<void> {
    const uses = this.#uses;
    if (uses.size === 0) return;
    this.#uses = new Map();
    try {
      await this.#options.store.recordUses(uses);
    } catch (error) {
      this.#options.logger.warn({ error, keys: uses.size }, "the last use of API keys could not be stored");
      this.#uses = new Map([...uses, ...this.#uses]);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.write();
  }
}
