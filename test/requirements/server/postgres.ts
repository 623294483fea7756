import type { Requirement } from "#test/requirements/requirement.ts";

export const postgres: readonly Requirement[] = [
  { id: "postgres:sessions", status: "verified", text: "Sessions, events, runs and states are kept in Postgres." },
  { id: "postgres:memory", status: "verified", text: "Memory is kept in Postgres and found by its words." },
  {
    id: "postgres:memory:meaning",
    status: "gated",
    text: "With an embedder and the extension `vector`, memory is found by meaning too; without the extension by words alone.",
    decided: "Vectors are arrays of `real`, so that the schema needs no extension and the extension may come later. A search compares the user's newest 10,000 entries exactly, because an approximate index over all users would miss some.",
  },
  { id: "postgres:rows", status: "verified", text: "API keys, users' credentials, evaluation sets, results and jobs are kept in Postgres." },
  { id: "postgres:audit", status: "verified", text: "The audit log is kept in Postgres, in chains that show what was changed or removed." },
  { id: "postgres:tenants", status: "verified", text: "All that Postgres has of a tenant, or of one of its users, is exported and deleted." },
  { id: "postgres:round-trips", status: "gated", text: "A turn makes one statement that reads and two that write, whatever the length of the session." },
  {
    id: "postgres:shared-reads",
    status: "gated",
    text: "Heads, states and runs that sessions of a process need at the same time are read by one statement. What fails for one of them alone fails no other.",
  },
  {
    id: "postgres:shared-commits",
    status: "gated",
    text: "Changes of all sessions of a process that arrive together are one commit, and each is stored completely or not at all, whatever becomes of the others.",
  },
  {
    id: "postgres:turns",
    status: "gated",
    text: "Processes that write to one session at the same time take turns, and none keeps its turn for longer than two seconds.",
  },
  { id: "postgres:pooler", status: "gated", text: "Stores work through a pooler in transaction mode." },
  { id: "postgres:connections", status: "gated", text: "Connections are encrypted and checked as `sslmode` and the file of authorities say, and each reads its password from a file that may change." },
  {
    id: "postgres:unavailable",
    status: "gated",
    text: "A server that is down, out of connections, silent or may not be written is a temporary fault that loses nothing.",
    decided: "Calls fail with `STORE_UNAVAILABLE`; runners repeat them, and a process that starts before its database waits for it.",
  },
  {
    id: "postgres:chaos",
    status: "gated",
    text: "While Postgres is killed, restarted, out of connections, frozen and failed over under load, alone and with services and Redis, nothing acknowledged is lost and nothing is stored twice.",
    decided: "A failover loses nothing if the standby is synchronous: what an asynchronous one has not received is lost with the primary.",
  },
  { id: "postgres:migrations", status: "gated", text: "The schema is made by numbered migrations, each a transaction that is applied once, however many processes start at the same time." },
  { id: "postgres:migrations:releases", status: "gated", text: "The former release works on the schema after a migration that adds, and refuses one that it cannot use." },
  { id: "postgres:migrations:command", status: "gated", text: "A command shows, checks and migrates the schema, and a setting forbids processes to change it." },
];
