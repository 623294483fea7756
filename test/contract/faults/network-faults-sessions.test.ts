import { describe, it } from "vitest";
import { RemoteRunJournal } from "#adapters/grpc/remote-run-journal.ts";
import { RemoteSessionService } from "#adapters/grpc/remote-session-service.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import type { Lease, RunRecord } from "#kit/sessions/run-record.ts";
import type { Session } from "#kit/sessions/session.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import { createSessionServer } from "#services/session/server.ts";
import {
  beginRequest,
  changing,
  KEY,
  LEASE_MS,
  NOW,
  OWNER,
  record,
  type SessionStore,
  said,
  started,
} from "#test/contract/sessions/session-world.ts";
import { joinStore } from "#test/helpers/servers/loopback.ts";
import { GRPC_FAULTS, GRPC_REASONS, openGrpcWorld } from "./grpc-world.ts";
import { expectRecovery, type NetworkOperation } from "./network-faults.ts";

interface Prepared {
  /** The run's record as its owner has it in memory. */
  readonly session: Session;
  /** The run `run` of the session. */
  readonly lease: Lease;
}

const IDLE = { ...OWNER, id: "idle" };
const write = ({ lease }: Prepared) => ({
  lease,
  leaseMs: LEASE_MS,
  afterRevision: 1,
  events: [record("e2", { x: 1 })],
});

const OPERATIONS: readonly NetworkOperation<SessionStore, Prepared>[] = [
  {
    name: "create",
    run: (store) => store.createSession({ ...OWNER, id: "next", state: { "user:tone": "kind" }, events: [said("n")] }),
    isRepeatable: false,
  },
  { name: "get", run: (store) => store.getSession(KEY) },
  { name: "list", run: (store) => store.listSessions(OWNER) },
  { name: "list events", run: (store) => store.listEventRecords(KEY) },
  {
    name: "append an event",
    run: async (store, { session }) => {
      await store.appendEvent(session, changing("e3", { y: 2 }));
      return [session.events.map(({ id }) => id), session.state, session.revision];
    },
  },
  {
    name: "change the state",
    run: (store) => store.applyStateDelta({ ...IDLE, author: "user", invocationId: "change", stateDelta: { step: 2 } }),
  },
  { name: "close", run: (store) => store.closeSession(KEY) },
  { name: "delete", run: (store) => store.deleteSession(IDLE) },
  {
    name: "begin",
    run: async (store) => {
      const begun = await store.begin(beginRequest("next", { session: IDLE }));
      return [begun.kind, begun.run.runId, begun.run.status];
    },
  },
  { name: "queue", run: (store) => store.begin(beginRequest("queued")) },
  { name: "append", run: (store, prepared) => store.append(write(prepared)) },
  { name: "finish", run: (store, prepared) => store.finish({ ...write(prepared), status: "succeeded" }) },
  { name: "renew", run: (store, { lease }) => store.renew(lease, LEASE_MS) },
  { name: "release", run: (store, { lease }) => store.release(lease), isRepeatable: false },
  { name: "cancel", run: (store) => store.cancel("run") },
  { name: "get a run", run: (store) => store.get("run") },
  { name: "list runs", run: (store) => store.list({ session: KEY }) },
  { name: "get heads", run: (store) => store.getHeads([KEY, IDLE]) },
  { name: "list abandoned runs", run: (store) => store.listAbandoned({ minAgeMs: 0, limit: 10 }) },
];

/** A repeated `begin` fences the attempt of the first call: it starts a new attempt with the next epoch. */
function withoutAttempt({ epoch: _epoch, attempts: _attempts, ...run }: RunRecord) {
  return run;
}

async function open() {
  const store = new InMemorySessionStore({ clock: new FixedClock(NOW), ids: new SequentialIds() });
  const server = createSessionServer({ sessions: store, journal: store, logger: silentLogger });
  const stored = async () => [
    await store.listSessions(OWNER),
    await store.getSession(KEY),
    await store.getSession(IDLE),
    (await store.list({ appName: OWNER.appName })).runs.map(withoutAttempt),
  ];
  const connect = (options: ConstructorParameters<typeof RemoteRunJournal>[0]) =>
    joinStore(new RemoteSessionService(options), new RemoteRunJournal(options));
  return openGrpcWorld(server, connect, stored);
}

async function prepare(store: SessionStore): Promise<Prepared> {
  await store.createSession(KEY);
  await store.createSession({ ...IDLE, state: { step: 1 } });
  const { lease } = await started(store, "run");
  const session = await store.getSession(KEY);
  if (session === undefined) throw new Error("There is no session.");
  await store.append({ lease, leaseMs: LEASE_MS, afterRevision: 0, events: [record("e1")] });
  return { session, lease };
}

describe.each(GRPC_FAULTS)("a message to the session service that meets $name", ({ fault }) => {
  it.each(OPERATIONS)("leaves everything or nothing of $name, and the next call works", (operation) =>
    expectRecovery({ open, prepare, reasons: GRPC_REASONS }, operation, fault),
  );
});
