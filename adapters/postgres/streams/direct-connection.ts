import pg from "pg";
import { type Logger, silentLogger } from "#kit/platform/logger.ts";
import { type Sleep, sleep } from "#kit/platform/sleep.ts";
import type { ConnectionSettings } from "../database/postgres-connection.ts";

export interface DirectConnectionOptions {
  readonly settings: ConnectionSettings;
  /** Shown in `pg_stat_activity`. */
  readonly name: string;
  /** Called with each new connection, before it is used; a failure closes the connection. */
  readonly onOpen?: (client: pg.Client) => Promise<void>;
  /** Called when the connection can be used, and when it cannot be used any more. */
  readonly onChange: (isOpen: boolean) => void;
  readonly onPayload?: (payload: string) => void;
  readonly logger?: Logger | undefined;
  readonly sleep?: Sleep | undefined;
}

const CONNECT_MS = 5_000;
const STATEMENT_MS = 5_000;
const FIRST_RECONNECT_DELAY_MS = 50;
const MAX_RECONNECT_DELAY_MS = 2_000;

/** One connection to the server itself, not to a pooler, which is opened again when it is lost. */
export class DirectConnection implements AsyncDisposable {
  readonly #options: DirectConnectionOptions;
  readonly #closing = new AbortController();
  readonly #running: Promise<void>;
  #client: pg.Client | undefined;

  constructor(options: DirectConnectionOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  /** Throws if there is no connection. */
  async query(text: string, values: readonly unknown[]): Promise<void> {
    if (this.#client === undefined) throw new Error("There is no connection to the database.");
    await this.#client.query(text, [...values]);
  }

  /** Opens another connection in place of the present one, which may be dead without notice. */
  replace(): void {
    this.#client?.connection.stream.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { onChange, logger = silentLogger, sleep: pause = sleep } = this.#options;
    const { signal } = this.#closing;
    let isReported = false;
    let delayMs = FIRST_RECONNECT_DELAY_MS;
    const report = (error: unknown): void => {
      if (!isReported && !signal.aborted)
        logger.warn({ error }, "the direct connection to Postgres is lost; trying again");
      isReported = true;
    };
    while (!signal.aborted) {
      try {
        await this.#use(() => {
          if (isReported) logger.info({}, "the direct connection to Postgres is back");
          isReported = false;
          delayMs = FIRST_RECONNECT_DELAY_MS;
        });
        report(undefined);
      } catch (error) {
        report(error);
      }
      if (this.#client !== undefined) {
        this.#client = undefined;
        onChange(false);
      }
      // Closing ends the pause.
      await pause(delayMs, signal).catch(() => {});
      delayMs = Math.min(2 * delayMs, MAX_RECONNECT_DELAY_MS);
    }
  }

  /** Resolves when the connection is lost or closed. */
  async #use(onUsable: () => void): Promise<void> {
    const { settings, name, onOpen, onChange, onPayload } = this.#options;
    const { signal } = this.#closing;
    const client = new pg.Client({
      ...settings,
      // The package has types for files in memory too.
      ssl: settings.ssl === false ? false : { ...settings.ssl },
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: STATEMENT_MS,
      keepAlive: true,
      application_name: name,
    });
    const lost = new Promise<void>((resolve) => {
      client.on("error", () => resolve());
      client.on("end", resolve);
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
    if (onPayload !== undefined) client.on("notification", ({ payload }) => onPayload(payload ?? ""));
    try {
      await Promise.race([client.connect(), lost]);
      if (signal.aborted) return;
      await onOpen?.(client);
      this.#client = client;
      onUsable();
      onChange(true);
      await lost;
    } finally {
      // A connection that is lost already has nothing to end.
      void client.end().catch(() => {});
    }
  }
}
