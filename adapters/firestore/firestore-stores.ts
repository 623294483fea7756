import type { Embedder } from "#kit/memory/embedder.ts";
import type { Logger } from "#kit/platform/logger.ts";
import { having, integer, logger, matching, type OptionRules, required, text } from "#kit/schema/check-options.ts";
import {
  NETWORK_STORES_RULES,
  type NetworkStores,
  type NetworkStoresOptions,
  networkStores,
} from "#ports/network-stores.ts";
import { FirestoreDatabase } from "./database/firestore-database.ts";
import { FirestoreMemoryService } from "./firestore-memory-service.ts";
import { FirestoreRowTable } from "./firestore-row-table.ts";
import { FirestoreSessionStore } from "./sessions/firestore-session-store.ts";

/** Options of `openFirestoreStores`. */
export interface FirestoreStoresOptions extends NetworkStoresOptions {
  /** The Google Cloud project. */
  readonly projectId: string;
  /** `(default)` by default. */
  readonly databaseId?: string | undefined;
  /** The collection that holds everything; `fairlead` by default. */
  readonly root?: string | undefined;
  /** Host and port of an emulator, which is called without encryption and credentials. */
  readonly emulatorHost?: string | undefined;
  /** The time limit of one call, in milliseconds; 10,000 by default. */
  readonly deadlineMs?: number | undefined;
  /** Finds memory by meaning too, such as a `GeminiEmbedder`; without it only by words. */
  readonly embedder?: Embedder | undefined;
  readonly logger?: Logger | undefined;
}

/** Stores in Firestore. Disposing closes the connection. */
export type FirestoreStores = NetworkStores;

const RULES: OptionRules<FirestoreStoresOptions> = {
  projectId: required(text),
  databaseId: text,
  root: matching("the path of a collection, such as fairlead", /^[^/]+(?:\/[^/]+\/[^/]+)*$/),
  emulatorHost: matching("host:port", /^[^/\s]+:\d{1,5}$/),
  deadlineMs: integer(1, " milliseconds"),
  embedder: having("embed"),
  logger,
  ...NETWORK_STORES_RULES,
};

export function openFirestoreStores(options: FirestoreStoresOptions): FirestoreStores {
  const storesOf = networkStores("openFirestoreStores", options, RULES);
  const { projectId, databaseId, emulatorHost, deadlineMs, root, embedder, logger: log } = options;
  const database = new FirestoreDatabase({ projectId, databaseId, emulatorHost, deadlineMs });
  return storesOf({
    database,
    table: (name) => new FirestoreRowTable({ database, root, name }),
    sessions: (given) => new FirestoreSessionStore({ ...given, database, rootCollection: root }),
    memory: (given) => new FirestoreMemoryService({ ...given, database, root, embedder, logger: log }),
  });
}
