import { describe } from "vitest";
import { FirestoreRowTable } from "#adapters/firestore/firestore-row-table.ts";
import { ROW_TABLES } from "#test/helpers/rows/row-tables.ts";
import { useFirestore } from "#test/helpers/servers/use-firestore.ts";
import { whyNoFirestore } from "#tooling/emulators/firestore-emulator.ts";
import { inboxStoreContract } from "./inbox-store.ts";

describe.each(ROW_TABLES)("TabularInboxStore over %s", (_, openTable) => inboxStoreContract(openTable));

describe.skipIf(whyNoFirestore() !== undefined)("TabularInboxStore over Firestore", { timeout: 120_000 }, () => {
  const { openDatabase } = useFirestore();
  inboxStoreContract(async () => {
    const database = openDatabase();
    const dispose = () => database[Symbol.asyncDispose]();
    return { table: new FirestoreRowTable({ database, name: "inbox" }), dispose };
  });
});
