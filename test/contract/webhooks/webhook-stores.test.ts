import { describe } from "vitest";
import { FirestoreRowTable } from "#adapters/firestore/firestore-row-table.ts";
import { ROW_TABLES } from "#test/helpers/rows/row-tables.ts";
import { useFirestore } from "#test/helpers/servers/use-firestore.ts";
import { whyNoFirestore } from "#tooling/emulators/firestore-emulator.ts";
import { webhookStoreContract } from "./webhook-store.ts";

describe.each(ROW_TABLES)("TabularWebhookStore over %s", (_, openTable) => webhookStoreContract(openTable));

describe.skipIf(whyNoFirestore() !== undefined)("TabularWebhookStore over Firestore", { timeout: 120_000 }, () => {
  const { openDatabase } = useFirestore();
  webhookStoreContract(async () => {
    const database = openDatabase();
    const dispose = () => database[Symbol.asyncDispose]();
    return { table: new FirestoreRowTable({ database, name: "webhooks" }), dispose };
  });
});
