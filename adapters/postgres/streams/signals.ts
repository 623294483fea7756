import { type Logger, silentLogger } from "#kit/platform/logger.ts";
import { randomText } from "#kit/platform/random-text.ts";
import type { Sleep } from "#kit/platform/sleep.ts";
import {
  type ConnectionSettings,
  connectionSettings,
  type PostgresConnection,
} from "../database/postgres-connection.ts";
import { DirectConnection } from "./direct-connection.ts";

/** The subject of a signal: new rows of a stream, a changed record, a changed session, a notification about a run. */
export type SignalKind = "rows" | "recheck" | "session" | "run";

export interface SignalReceiver {
  /** Called with each signal. Must not throw. */
  receive(kind: SignalKind, text: string): void;
  /** Signals arrive from now on, or do not; in both cases earlier ones may be missing. Must not throw. */
  hear(isHearing: boolean): void;
}

export interface PostgresSignalsOptions {
  readonly settings: ConnectionSettings;
  /** The schema with the tables: its name is the channel. */
  readonly schema: string;
  readonly logger?: Logger | undefined;
  readonly sleep?: Sleep | undefined;
  /** How often the listening connection is tried if it is silent; 10,000 by default. */
  readonly checkMs?: number | undefined;
}

export interface PostgresSignalsAddress {
  readonly connection: PostgresConnection;
  /** Names the URL in errors. */
  readonly name: string;
}

const LETTERS = { rows: "s", recheck: "r", session: "w", run: "n" } as const satisfies Record<SignalKind, string>;
const KINDS = new Map<string, SignalKind>(
  Object.entries(LETTERS).map(([kind, letter]) => [letter, kind as SignalKind]),
);
const PROBE = "p";
/** Signals were left out: every reader has to read. */
const ALL = "*";
/** The server refuses payloads of 8,000 bytes. */
const MAX_PAYLOAD_BYTES = 7_900;
/** Signals that wait for the connection; beyond these, one takes the place of all. */
const MAX_WAITING = 10_000;
const PROBE_MS = 5_000;
const DEFAULT_CHECK_MS = 10_000;

/**
 * Signals between all processes on one channel: what has been written, not the data. A process has one connection that
 * listens and one that notifies; signals that wait for the second one are sent together. Signals are lost while the
 * listening connection is: receivers then read.
 */
export class PostgresSignals implements AsyncDisposable {
  readonly #channel: string;
  readonly #logger: Logger;
  readonly #receivers = new Set<SignalReceiver>();
  readonly #sender: DirectConnection;
  readonly #listener: DirectConnection;
  readonly #timer: NodeJS.Timeout;
  #waiting: string[] = [];
  #isSending = false;
  #isHearing = false;
  #isSilent = false;
  #probes = 0;
  #unanswered: NodeJS.Timeout | undefined;
  #hasReported = false;
  readonly #counts = { sent: 0, received: 0, losses: 0 };
  /** Tells the probes of processes apart. */
  readonly #id = randomText(12);

  constructor({ settings, schema, logger = silentLogger, sleep, checkMs = DEFAULT_CHECK_MS }: PostgresSignalsOptions) {
    this.#channel = schema;
    this.#logger = logger;
    this.#sender = new DirectConnection({
      ...{ settings, sleep, name: "fairlead notify" },
      onChange: (isOpen) => {
        if (!isOpen) return;
        if (!this.#isHearing) this.#probe();
        void this.#send();
      },
    });
    this.#listener = new DirectConnection({
      ...{ settings, sleep, logger, name: "fairlead listen" },
      onOpen: async (client) => {
        await client.query(`LISTEN ${client.escapeIdentifier(schema)}`);
      },
      onChange: (isOpen) => {
        if (isOpen) this.#probe();
        else this.#hear(false);
      },
      onPayload: (payload) => this.#receive(payload),
    });
    this.#timer = setInterval(() => this.#check(), checkMs).unref();
  }

  static async open(
    { connection, name }: PostgresSignalsAddress,
    options: Omit<PostgresSignalsOptions, "settings">,
  ): Promise<PostgresSignals> {
    return new PostgresSignals({ ...options, settings: await connectionSettings(connection, name) });
  }

  /** Signals that were sent and received so far, and how often they stopped to arrive. */
  get counts(): { readonly sent: number; readonly received: number; readonly losses: number } {
    return this.#counts;
  }

  /** Whether signals arrive. */
  get isHearing(): boolean {
    return this.#isHearing;
  }

  add(receiver: SignalReceiver): Disposable {
    this.#receivers.add(receiver);
    return { [Symbol.dispose]: () => void this.#receivers.delete(receiver) };
  }

  /** Best effort: never throws. A text without line breaks; one that is too long for a payload is not sent. */
  send(kind: SignalKind, text: string): void {
    const item = LETTERS[kind] + text;
    if (Buffer.byteLength(item) > MAX_PAYLOAD_BYTES) {
      this.#logger.debug({ kind }, "a signal is too long to be sent");
      return;
    }
    if (this.#waiting.length < MAX_WAITING) this.#waiting.push(item);
    else this.#waiting = [ALL];
    void this.#send();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    clearTimeout(this.#unanswered);
    await Promise.all([this.#listener[Symbol.asyncDispose](), this.#sender[Symbol.asyncDispose]()]);
  }

  /** One statement at a time: what comes in the meantime is sent together by the next one. */
  async #send(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    // What this turn of the event loop adds goes with it.
    await Promise.resolve();
    try {
      while (this.#waiting.length > 0) {
        const items = this.#waiting;
        this.#waiting = [];
        try {
          await this.#sender.query("SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload", [
            this.#channel,
            toPayloads(items),
          ]);
          this.#counts.sent += items.length;
        } catch (error) {
          this.#logger.debug({ error }, "signals were not sent; they wait for the connection");
          const all = [...items, ...this.#waiting];
          this.#waiting = all.length > MAX_WAITING ? [ALL] : all;
          return;
        }
      }
    } finally {
      this.#isSending = false;
    }
  }

  #receive(payload: string): void {
    this.#isSilent = false;
    for (const item of payload.split("\n")) {
      this.#counts.received += 1;
      const kind = KINDS.get(item.charAt(0));
      if (kind !== undefined) for (const receiver of this.#receivers) receiver.receive(kind, item.slice(1));
      else if (item === ALL && this.#isHearing) for (const receiver of this.#receivers) receiver.hear(true);
      else if (item === this.#ownProbe) this.#hear(true);
    }
  }

  get #ownProbe(): string {
    return `${PROBE}${this.#id}-${this.#probes}`;
  }

  /** A notification has to come back: a pooler in transaction mode accepts LISTEN and then passes nothing on. */
  #probe(): void {
    this.#probes += 1;
    clearTimeout(this.#unanswered);
    this.#unanswered = setTimeout(() => {
      if (!this.#hasReported)
        this.#logger.error(
          {},
          "no notification of Postgres arrives: DATABASE_DIRECT_URL has to be the address of the server itself, not of a pooler in transaction mode",
        );
      this.#hasReported = true;
      this.#listener.replace();
    }, PROBE_MS).unref();
    this.#waiting.push(this.#ownProbe);
    void this.#send();
  }

  #check(): void {
    if (this.#isSilent && this.#isHearing) this.#probe();
    this.#isSilent = true;
  }

  #hear(isHearing: boolean): void {
    clearTimeout(this.#unanswered);
    if (isHearing) this.#hasReported = false;
    if (isHearing === this.#isHearing) return;
    this.#isHearing = isHearing;
    if (!isHearing) this.#counts.losses += 1;
    for (const receiver of this.#receivers) receiver.hear(isHearing);
  }
}

/** Joins items to as few payloads as they fit in. */
function toPayloads(items: readonly string[]): readonly string[] {
  const payloads: string[] = [];
  let payload = "";
  let bytes = 0;
  for (const item of items) {
    const size = Buffer.byteLength(item) + 1;
    if (bytes + size > MAX_PAYLOAD_BYTES && payload !== "") {
      payloads.push(payload);
      payload = "";
      bytes = 0;
    }
    payload += payload === "" ? item : `\n${item}`;
    bytes += size;
  }
  if (payload !== "") payloads.push(payload);
  return payloads;
}
