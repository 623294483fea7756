import type { FirestoreDatabase } from "#adapters/firestore/database/firestore-database.ts";
import { importOptional } from "#kit/optional-packages/optional-package.ts";
import type { ConfigOf } from "../config/config-schema.ts";
import type { firestoreConfigSchema } from "./storage-settings.ts";
import type { StoreContext } from "./store-context.ts";

export type FirestoreConfig = ConfigOf<typeof firestoreConfigSchema>;

/** A connection that the first call opens. Called before a store is imported: it reports a missing package. */
export async function openFirestore({
  config,
  stack,
}: Pick<StoreContext<FirestoreConfig>, "config" | "stack">): Promise<FirestoreDatabase> {
  const { FirestoreDatabase } = await importOptional({
    name: "@google-cloud/firestore",
    user: "Stores in Firestore",
    load: () => import("#adapters/firestore/database/firestore-database.ts"),
  });
  const { FIRESTORE_PROJECT_ID, FIRESTORE_DATABASE_ID, FIRESTORE_EMULATOR_HOST } = config;
  return stack.use(
    new FirestoreDatabase({
      projectId: FIRESTORE_PROJECT_ID,
      databaseId: FIRESTORE_DATABASE_ID,
      emulatorHost: FIRESTORE_EMULATOR_HOST !== "" ? FIRESTORE_EMULATOR_HOST : undefined,
    }),
  );
}

/** Reads one document, which may not exist. */
export async function probeFirestore(database: FirestoreDatabase, { FIRESTORE_ROOT }: FirestoreConfig): Promise<void> {
  await database.read([`${FIRESTORE_ROOT}/readiness`]);
}
