import { EventEmitter } from "node:events";
import { PGlite, types } from "@electric-sql/pglite";
import type pg from "pg";

/** The part of `pg`'s configuration of a query that is used. */
interface Query {
  readonly text: string;
  readonly values: readonly unknown[];
}

/**
 * Postgres in this process, as a pool whose connections have it one after the other: SQL is executed as a server does, and
 * nothing runs at the same time. For tests of the SQL on machines without a server.
 */
export class PGlitePool extends EventEmitter implements AsyncDisposable {
  readonly #database: Promise<PGlite>;
  #free: Promise<void> = Promise.resolve();
  #isUsed = false;
  #waiting = 0;

  constructor() {
    super();
    this.#database = PGlite.create({ parsers: { [types.INT8]: Number } });
  }

  get totalCount(): number {
    return 1;
  }

  get idleCount(): number {
    return this.#isUsed ? 0 : 1;
  }

  get waitingCount(): number {
    return this.#waiting;
  }

  async connect(): Promise<Pick<pg.PoolClient, "query" | "release">> {
    const turn = Promise.withResolvers<void>();
    const before = this.#free;
    this.#free = before.then(() => turn.promise);
    this.#waiting += 1;
    await before;
    this.#waiting -= 1;
    this.#isUsed = true;
    const database = await this.#database;
    const client = {
      query: async ({ text, values }: Query) => {
        if (values.length > 0) return database.query(text, [...values]);
        return (await database.exec(text)).at(-1) ?? { rows: [] };
      },
      release: () => {
        this.#isUsed = false;
        turn.resolve();
      },
    };
    // The methods that `PostgresDatabase` calls, in the forms that it uses.
    return client as unknown as Pick<pg.PoolClient, "query" | "release">;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#database).close();
  }
}
