import { expect } from "vitest";
import { PostgresDatabase } from "#adapters/postgres/database/postgres-database.ts";
import { migrate } from "#adapters/postgres/schema/migrate.ts";
import { PostgresSignals } from "#adapters/postgres/streams/signals.ts";
import { type PostgresSchemas, usePostgres } from "#test/helpers/servers/use-postgres.ts";

/** The pool and the signals of one process. */
export interface PostgresPlace {
  readonly database: PostgresDatabase;
  readonly signals: PostgresSignals;
}

/** Two objects of processes that share a schema, each with connections of its own. */
export interface PostgresEnds<End> {
  readonly ends: readonly [End, End];
  readonly places: readonly [PostgresPlace, PostgresPlace];
  readonly schema: string;
  readonly dispose: () => Promise<void>;
}

/** A server for the tests of a group, and what opens two ends at a schema of its own. */
export function usePostgresEnds<End>(create: (place: PostgresPlace) => End): {
  readonly open: () => Promise<PostgresEnds<End>>;
  /** The parts of one process, after its signals arrive. The caller closes them. */
  readonly openPlace: (schema: string, url?: string) => Promise<PostgresPlace & AsyncDisposable>;
  readonly postgres: PostgresSchemas;
} {
  const postgres = usePostgres();

  const openPlace = async (schema: string, url = postgres.server().url()) => {
    const stack = new AsyncDisposableStack();
    const database = stack.use(
      await PostgresDatabase.open({
        pool: { url, maxConnections: 3 },
        schema,
        prepare: async (unprepared) => void (await migrate(unprepared)),
      }),
    );
    await database.ready();
    const address = { connection: { url: postgres.server().url() }, name: "The address" };
    const signals = stack.use(await PostgresSignals.open(address, { schema }));
    await expect.poll(() => signals.isHearing).toBe(true);
    return { database, signals, [Symbol.asyncDispose]: () => stack.disposeAsync() };
  };

  const open = async (): Promise<PostgresEnds<End>> => {
    const schema = postgres.newSchema();
    const stack = new AsyncDisposableStack();
    const place = async () => {
      const opened = stack.use(await openPlace(schema));
      const end = create(opened);
      // The tests' ends are closed before what they stand on.
      if (isDisposable(end)) stack.defer(() => end[Symbol.asyncDispose]());
      return { end, opened };
    };
    const [first, second] = [await place(), await place()];
    return {
      ends: [first.end, second.end],
      places: [first.opened, second.opened],
      schema,
      dispose: () => stack.disposeAsync(),
    };
  };
  return { open, openPlace, postgres };
}

function isDisposable(end: unknown): end is AsyncDisposable {
  return typeof end === "object" && end !== null && Symbol.asyncDispose in end;
}
