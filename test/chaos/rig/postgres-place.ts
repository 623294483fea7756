import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { PostgresServer } from "#tooling/emulators/postgres-server.ts";
import type { FaultProxy } from "#tooling/processes/fault-proxy.ts";

/** More than all pools of the services have, so that tests can use up the rest. */
const MAX_CONNECTIONS = 100;
const NO_CONNECTION_LEFT = "53300";
/** Connections that are opened at the same time. */
const OPENED_TOGETHER = 10;

/** The platform's Postgres, which can be lost in several ways and replaced by its standby. */
export class PostgresPlace implements AsyncDisposable {
  #primary: PostgresServer;
  #isDown = false;
  #held: pg.Client[] = [];

  private constructor(primary: PostgresServer) {
    this.#primary = primary;
  }

  static async start(): Promise<PostgresPlace> {
    return new PostgresPlace(await PostgresServer.start({ settings: [`max_connections=${MAX_CONNECTIONS}`] }));
  }

  /** The port of the present primary. */
  get port(): number {
    return this.#primary.port;
  }

  /** Without the link of the services. */
  get url(): string {
    return this.#primary.url();
  }

  /** Kills all processes of the server. */
  async kill(): Promise<void> {
    this.#isDown = true;
    await this.#primary.kill();
  }

  /** Ends the server in good order. */
  async stop(): Promise<void> {
    this.#isDown = true;
    await this.#primary.stop();
  }

  async start(): Promise<void> {
    if (!this.#isDown) return;
    await this.#primary.start();
    this.#isDown = false;
  }

  freeze(): void {
    this.#primary.freeze();
  }

  thaw(): void {
    this.#primary.thaw();
  }

  /** Takes all connections of the server, those of the services too. */
  async useUpConnections(): Promise<void> {
    for (;;) {
      while (await this.#openMore());
      const [one] = this.#held;
      const ended = await one?.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'fairlead'",
      );
      // The services have none, and the server is full.
      if (ended?.rowCount === 0) return;
    }
  }

  async freeConnections(): Promise<void> {
    await Promise.all(this.#held.splice(0).map((client) => client.end().catch(() => undefined)));
  }

  /** A copy that each commit waits for. */
  async startStandby(): Promise<PostgresServer> {
    return this.#primary.startStandby();
  }

  /** The primary is lost with its machine, its standby is promoted, and after a while the address leads to it. */
  async failOver(standby: PostgresServer, links: readonly FaultProxy[], movedAfterMs: number): Promise<void> {
    const lost = this.#primary;
    await lost.kill();
    await standby.promote();
    await pause(movedAfterMs);
    this.#primary = standby;
    for (const link of links) link.moveTo(standby.port);
    await lost[Symbol.asyncDispose]();
  }

  /** The server runs and has connections. */
  async restore(): Promise<void> {
    this.thaw();
    await this.freeConnections();
    await this.start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.thaw();
    await this.freeConnections();
    await this.#primary[Symbol.asyncDispose]();
  }

  /** False if the server has no connection left. */
  async #openMore(): Promise<boolean> {
    const opening = Array.from({ length: OPENED_TOGETHER }, async () => {
      const client = new pg.Client({ connectionString: this.url, application_name: "chaos" });
      client.on("error", () => undefined);
      try {
        await client.connect();
        this.#held.push(client);
        return true;
      } catch (error) {
        if (error instanceof pg.DatabaseError && error.code === NO_CONNECTION_LEFT) return false;
        throw error;
      }
    });
    return (await Promise.all(opening)).every((isOpen) => isOpen);
  }
}
