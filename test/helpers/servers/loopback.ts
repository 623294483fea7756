import type { PeerOptions } from "#adapters/grpc/channel/grpc-peer.ts";
import { systemClock } from "#kit/platform/clock.ts";
import type { RunJournal } from "#kit/sessions/run-journal.ts";
import type { SessionService } from "#kit/sessions/session-service.ts";
import type { StorageReader } from "#ports/storage-limits/storage-limits.ts";
import type { IdleSessions } from "#ports/tenants/idle-sessions.ts";
import type { OldData } from "#ports/tenants/old-data.ts";
import type { GrpcServer } from "#shared/grpc/grpc-server.ts";

/** Forwards a port of loopback to a remote one. */
export async function overLoopback<Port extends AsyncDisposable>(
  server: GrpcServer,
  connect: (options: PeerOptions) => Port,
): Promise<{ readonly port: Port; readonly dispose: () => Promise<void> }> {
  const number = await server.listen("127.0.0.1:0");
  const port = connect({ address: `127.0.0.1:${number}`, clock: systemClock, timeoutMs: 20_000 });
  const dispose = async (): Promise<void> => {
    await port[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  };
  return { port, dispose };
}

/** The two ports of a session store as the one object that the suites take. */
export function joinStore(
  sessions: SessionService & StorageReader & IdleSessions & OldData & AsyncDisposable,
  journal: RunJournal & AsyncDisposable,
): SessionService & RunJournal & StorageReader & IdleSessions & OldData & AsyncDisposable {
  return {
    createSession: (request) => sessions.createSession(request),
    getSession: (key, config) => sessions.getSession(key, config),
    listSessions: (request) => sessions.listSessions(request),
    deleteSession: (key) => sessions.deleteSession(key),
    listEvents: (request) => sessions.listEvents(request),
    listEventRecords: (request) => sessions.listEventRecords(request),
    appendEvent: (session, event) => sessions.appendEvent(session, event),
    closeSession: (key) => sessions.closeSession(key),
    applyStateDelta: (request) => sessions.applyStateDelta(request),
    readStorage: (counts) => sessions.readStorage(counts),
    listIdleSessions: (request) => sessions.listIdleSessions(request),
    closeIdleSession: (key, updatedBefore) => sessions.closeIdleSession(key, updatedBefore),
    listOldData: (request) => sessions.listOldData(request),
    deleteOldData: (request) => sessions.deleteOldData(request),
    begin: (request) => journal.begin(request),
    append: (request) => journal.append(request),
    finish: (request) => journal.finish(request),
    renew: (lease, leaseMs) => journal.renew(lease, leaseMs),
    release: (lease) => journal.release(lease),
    cancel: (runId, tenantId) => journal.cancel(runId, tenantId),
    get: (runId, tenantId) => journal.get(runId, tenantId),
    list: (request) => journal.list(request),
    getHeads: (sessions) => journal.getHeads(sessions),
    listAbandoned: (request) => journal.listAbandoned(request),
    [Symbol.asyncDispose]: async () => {
      await sessions[Symbol.asyncDispose]();
      await journal[Symbol.asyncDispose]();
    },
  };
}
