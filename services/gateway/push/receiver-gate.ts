import type { Clock } from "#kit/platform/clock.ts";

/** For whom the notification counts, and the host that takes it. */
export interface Receiver {
  readonly payer: string;
  readonly host: string;
}

/** The outcome of a call of a receiver: an answer of any status, or none in time. */
export type ReceiverAnswer = "answered" | "silent";

/** Calls at the same time: to one host for one payer, for one payer, and of the process. */
const MAX_OF_RECEIVER = 8;
const MAX_OF_PAYER = 32;
const MAX_OF_PROCESS = 512;

/** How long a silent receiver gets no call, after the first silence and at most. */
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;

const MANY_RECEIVERS = 1_000;

/** The receiver gets no call now: it did not answer the last ones. */
export class ReceiverPaused extends Error {
  readonly delayMs: number;

  constructor(delayMs: number) {
    super("The receiver is silent.");
    this.delayMs = delayMs;
  }
}

interface ReceiverState {
  calls: number;
  silences: number;
  /** By the monotonic clock. */
  pausedUntilMs: number;
}

interface Waiter extends Receiver {
  readonly enter: PromiseWithResolvers<void>;
}

/**
 * Limits the calls to receivers. One that does not answer gets a single call after each pause, whatever number of tasks
 * notify it, so that it takes places from its own payer's notifications at most.
 */
export class ReceiverGate {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #receivers = new Map<string, ReceiverState>();
  readonly #payers = new Map<string, number>();
  #calls = 0;
  /** In the order of their arrival. */
  #waiting: Waiter[] = [];

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** Makes the call when there is a place. Throws `ReceiverPaused`. */
  async call<Result>(
    receiver: Receiver,
    work: () => Promise<{ readonly answer: ReceiverAnswer; readonly result: Result }>,
  ): Promise<Result> {
    if (!this.#mayEnter(receiver)) {
      const waiter = { ...receiver, enter: Promise.withResolvers<void>() };
      this.#waiting.push(waiter);
      await waiter.enter.promise;
    } else this.#enter(receiver);
    let answer: ReceiverAnswer = "answered";
    try {
      const done = await work();
      answer = done.answer;
      return done.result;
    } finally {
      this.#leave(receiver, answer);
    }
  }

  /** Throws `ReceiverPaused` if the receiver is silent, and returns false if it has to wait for a place. */
  #mayEnter(receiver: Receiver): boolean {
    const { calls, silences, pausedUntilMs } = this.#stateOf(receiver);
    const pauseMs = pausedUntilMs - this.#clock.monotonic();
    if (silences > 0 && (pauseMs > 0 || calls > 0)) throw new ReceiverPaused(Math.max(pauseMs, FIRST_PAUSE_MS));
    return (
      calls < MAX_OF_RECEIVER && (this.#payers.get(receiver.payer) ?? 0) < MAX_OF_PAYER && this.#calls < MAX_OF_PROCESS
    );
  }

  #enter(receiver: Receiver): void {
    const state = this.#stateOf(receiver);
    state.calls += 1;
    this.#receivers.set(nameOf(receiver), state);
    this.#payers.set(receiver.payer, (this.#payers.get(receiver.payer) ?? 0) + 1);
    this.#calls += 1;
  }

  #leave(receiver: Receiver, answer: ReceiverAnswer): void {
    const state = this.#stateOf(receiver);
    state.calls -= 1;
    state.silences = answer === "silent" ? state.silences + 1 : 0;
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (state.silences - 1), MAX_PAUSE_MS);
    if (answer === "silent") state.pausedUntilMs = this.#clock.monotonic() + pauseMs;
    else if (state.calls === 0) this.#receivers.delete(nameOf(receiver));
    const ofPayer = (this.#payers.get(receiver.payer) ?? 0) - 1;
    if (ofPayer <= 0) this.#payers.delete(receiver.payer);
    else this.#payers.set(receiver.payer, ofPayer);
    this.#calls -= 1;
    this.#admit();
  }

  #admit(): void {
    this.#waiting = this.#waiting.filter((waiter) => {
      try {
        if (!this.#mayEnter(waiter)) return true;
        this.#enter(waiter);
        waiter.enter.resolve();
      } catch (error) {
        waiter.enter.reject(error);
      }
      return false;
    });
    if (this.#receivers.size < MANY_RECEIVERS) return;
    // Receivers whose pause is long over are forgotten: their next call is like the first.
    const oldest = this.#clock.monotonic() - MAX_PAUSE_MS;
    for (const [name, { calls, pausedUntilMs }] of this.#receivers)
      if (calls === 0 && pausedUntilMs < oldest) this.#receivers.delete(name);
  }

  #stateOf(receiver: Receiver): ReceiverState {
    return this.#receivers.get(nameOf(receiver)) ?? { calls: 0, silences: 0, pausedUntilMs: 0 };
  }
}

function nameOf({ payer, host }: Receiver): string {
  return JSON.stringify([payer, host]);
}
