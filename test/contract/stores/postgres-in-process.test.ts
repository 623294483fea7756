import { describe } from "vitest";
import { PostgresRowTable } from "#adapters/postgres/postgres-row-table.ts";
import { PostgresSessionStore } from "#adapters/postgres/sessions/postgres-session-store.ts";
import { usePGlite } from "#test/helpers/servers/use-postgres-database.ts";
import { rowTableContract } from "../rows/row-table.ts";
import { outsideEventsContract } from "../sessions/outside-events.ts";
import { runJournalContract } from "../sessions/run-journal.ts";
import { runLeaseContract } from "../sessions/run-lease.ts";
import { sessionServiceContract } from "../sessions/session-service.ts";
import { sessionStateContract } from "../sessions/session-state.ts";
import type { SessionStoreContract } from "../sessions/session-world.ts";

describe("on Postgres in this process", { timeout: 60_000 }, () => {
  const { openDatabase } = usePGlite();
  const contract: SessionStoreContract = {
    create: async (sources) => {
      const database = await openDatabase();
      const store = new PostgresSessionStore({ database, ...sources });
      return { store, dispose: () => database[Symbol.asyncDispose]() };
    },
  };
  sessionServiceContract(contract);
  sessionStateContract(contract);
  runJournalContract(contract);
  runLeaseContract(contract);
  outsideEventsContract(contract);
  rowTableContract({
    create: async () => {
      const database = await openDatabase();
      return {
        table: new PostgresRowTable({ database, name: "test" }),
        dispose: () => database[Symbol.asyncDispose](),
      };
    },
  });
});
