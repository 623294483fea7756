import { describe } from "vitest";
import { FirestoreRowTable } from "#adapters/firestore/firestore-row-table.ts";
import { PostgresRowTable } from "#adapters/postgres/postgres-row-table.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { TabularEvalStore } from "#ports/evaluation/tabular-eval-store.ts";
import { useFirestore } from "#test/helpers/servers/use-firestore.ts";
import { usePostgresDatabase } from "#test/helpers/servers/use-postgres-database.ts";
import { whyNoFirestore } from "#tooling/emulators/firestore-emulator.ts";
import { evalOldDataContract } from "./eval-old-data.ts";
import { CONTRACT_TIME_MS } from "./eval-store.ts";

const clock = new FixedClock(CONTRACT_TIME_MS);

describe("TabularEvalStore over Postgres", { timeout: 60_000 }, () => {
  const { openDatabase } = usePostgresDatabase();

  evalOldDataContract({
    create: async () => {
      const database = await openDatabase();
      const table = new PostgresRowTable({ database, name: "evaluations" });
      return { service: new TabularEvalStore({ table, clock }), dispose: () => database[Symbol.asyncDispose]() };
    },
  });
});

describe.skipIf(whyNoFirestore() !== undefined)("TabularEvalStore over Firestore", { timeout: 60_000 }, () => {
  const { openDatabase } = useFirestore();

  evalOldDataContract({
    create: async () => {
      const database = openDatabase();
      const table = new FirestoreRowTable({ database, name: "evaluations" });
      return { service: new TabularEvalStore({ table, clock }), dispose: () => database[Symbol.asyncDispose]() };
    },
  });
});
