import { describe } from "vitest";
import { FirestoreRowTable } from "#adapters/firestore/firestore-row-table.ts";
import { ROW_TABLES } from "#test/helpers/rows/row-tables.ts";
import { useFirestore } from "#test/helpers/servers/use-firestore.ts";
import { whyNoFirestore } from "#tooling/emulators/firestore-emulator.ts";
import { pushStoreContract, pushUserLimitContract } from "./push-store.ts";

describe.each(ROW_TABLES)("TabularPushStore over %s", (_, openTable) => {
  pushStoreContract(openTable);
  pushUserLimitContract(openTable);
});

describe.skipIf(whyNoFirestore() !== undefined)("TabularPushStore over Firestore", { timeout: 120_000 }, () => {
  const { openDatabase } = useFirestore();
  pushStoreContract(async () => {
    const database = openDatabase();
    const dispose = () => database[Symbol.asyncDispose]();
    return { table: new FirestoreRowTable({ database, name: "pushes" }), dispose };
  });
});
