import { ModelError } from "#kit/models/error-mapper.ts";
import { type Clock, systemClock } from "#kit/platform/clock.ts";
import { type Sleep, sleep as systemSleep } from "#kit/platform/sleep.ts";
import type { LiveListener, LiveProvider, LiveSession } from "./live-session.ts";

/** Sessions in a row that do not work, as adk-python. */
const MAX_FAILURES = 5;
/** With the same handle: backends fail for some sessions for good. */
const MAX_FAILURES_WITH_HANDLE = 2;
const MAX_USES_OF_HANDLE = 3;
/** Each new session costs the conversation so far. */
const MAX_PER_MINUTE = 12;
const FIRST_DELAY_MS = 200;
const LONGEST_DELAY_MS = 5000;

/** A handle of the provider, and how much of the conversation's log it includes. */
export interface LiveHandle {
  readonly text: string;
  readonly position: number;
}

export interface OpenedSession {
  readonly session: LiveSession;
  /** Absent: the session knows nothing of the conversation. */
  readonly handle: LiveHandle | undefined;
}

export interface OpenerOptions {
  readonly clock?: Clock | undefined;
  readonly sleep?: Sleep | undefined;
  readonly maxFailures?: number | undefined;
}

/** Opens sessions until one works, with growing pauses. A handle that does not cure a failure is dropped. */
export class SessionOpener {
  /** The newest one that works. */
  handle: LiveHandle | undefined;
  readonly #provider: LiveProvider;
  readonly #sleep: Sleep;
  readonly #clock: Clock;
  /** When the last sessions were opened. */
  readonly #opened: number[] = [];
  readonly #maxFailures: number;
  readonly #signal: AbortSignal;
  #failures = 0;
  #failure: Error | undefined;
  #used: string | undefined;
  #uses = 0;

  constructor(provider: LiveProvider, signal: AbortSignal, options: OpenerOptions) {
    this.#provider = provider;
    this.#signal = signal;
    this.#sleep = options.sleep ?? systemSleep;
    this.#clock = options.clock ?? systemClock;
    this.#maxFailures = options.maxFailures ?? MAX_FAILURES;
  }

  /** The present session works: the next failure is the first one. */
  works(): void {
    this.#failures = 0;
  }

  /** A session has ended that did not work. */
  failed(error: Error): void {
    this.#failures += 1;
    this.#failure = error;
  }

  /** Throws the last failure after too many of them, at once if it is final. */
  async open(listener: LiveListener, hasPast: () => boolean): Promise<OpenedSession> {
    for (;;) {
      this.#signal.throwIfAborted();
      if (this.#failures >= this.#maxFailures && this.#failure !== undefined) throw this.#failure;
      if (this.#failures >= MAX_FAILURES_WITH_HANDLE) this.handle = undefined;
      this.#countHandle();
      const delayMs = this.#delayMs();
      if (delayMs > 0) await this.#sleep(delayMs, this.#signal);
      const { handle } = this;
      try {
        const replays = handle === undefined && hasPast();
        const session = await this.#provider.open({ handle: handle?.text, replays, listener, signal: this.#signal });
        return { session, handle };
      } catch (error) {
        this.#signal.throwIfAborted();
        const failure = error instanceof Error ? error : new Error(String(error));
        this.failed(failure);
        if (!this.#provider.isFinal(failure)) continue;
        if (handle === undefined || isAuthError(failure)) throw failure;
        // It is unknown, expired or of a session that the provider does not continue.
        this.handle = undefined;
        this.#failures = 1;
      }
    }
  }

  /** A state of the session can make the backend fail at each answer: `works` is called, and nothing is cured. */
  #countHandle(): void {
    this.#uses = this.handle !== undefined && this.handle.text === this.#used ? this.#uses + 1 : 1;
    if (this.#uses > MAX_USES_OF_HANDLE) this.handle = undefined;
    this.#used = this.handle?.text;
  }

  /** The first session after one that works opens at once, but not if each works for a moment only. */
  #delayMs(): number {
    const now = this.#clock.monotonic();
    const isFrequent = this.#opened.length === MAX_PER_MINUTE && now - (this.#opened[0] ?? 0) < 60_000;
    this.#opened.push(now);
    if (this.#opened.length > MAX_PER_MINUTE) this.#opened.shift();
    if (this.#failures === 0) return isFrequent ? LONGEST_DELAY_MS : 0;
    const delay = Math.min(FIRST_DELAY_MS * 2 ** (this.#failures - 1), LONGEST_DELAY_MS);
    const isLimited = this.#failure instanceof ModelError && this.#failure.category === "RATE_LIMITED";
    return isLimited ? Math.max(delay, (this.#failure as ModelError).retryDelay) : delay;
  }
}

function isAuthError(error: Error): boolean {
  return error instanceof ModelError && error.category === "AUTH_ERROR";
}
