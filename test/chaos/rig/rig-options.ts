export const LEASE_MS = 2500;
export const EVAL_LEASE_MS = 5000;
/** The longest time for which a run may have no holder, with a margin for a busy machine. */
export const RECOVERY_MS = 2 * LEASE_MS + 15_000;

export const EDGES = [
  "client-gateway",
  "gateway-runner",
  "gateway-session",
  "runner-session",
  "gateway-transport",
  "runner-transport",
  "to-database",
  "to-artifact",
] as const;
export type Edge = (typeof EDGES)[number];

export const CHAOS_STORES = ["firestore", "postgres", "sqlite"] as const;
export type ChaosStore = (typeof CHAOS_STORES)[number];

export interface RigOptions {
  /** A database with two session services, or SQLite with one. */
  readonly store: ChaosStore;
  readonly settings?: Readonly<Record<string, string>>;
  /** With evaluation services, two on a database and one on files, and a judge. */
  readonly evaluations?: boolean;
  /** With a memory service. */
  readonly memory?: boolean;
  /** Each runner has a folder of agents of its own (`ChaosRig.agentsFolder`), which a test fills. */
  readonly ownAgents?: boolean;
}

/** Whether the store is a database that several processes share. */
export function isDatabase(store: ChaosStore): boolean {
  return store !== "sqlite";
}

/** Whether Postgres carries the streams between the services, in place of Redis. */
export function carriesStreams({ settings }: RigOptions): boolean {
  return settings?.["TRANSPORT"] === "postgres";
}
