import { RunNotFoundError } from "#kit/errors/session-errors.ts";
import { inTenant } from "#kit/names/tenant.ts";
import type { IdempotencyStore } from "#ports/idempotency/idempotency-store.ts";
import type { PushStore, PushTask } from "#ports/push/push-store.ts";
import type { TraceReader } from "#ports/runs/trace-store.ts";
import { assertReach, EVERY_USER_SCOPE } from "#shared/security/principal.ts";
import type { GatewayDeps } from "../deps.ts";
import { guardCredentials } from "./guarded-credentials.ts";
import { callingPrincipal, guardPort, inCallersTenant } from "./guarded-port.ts";
import {
  guardEvalJobs,
  guardInboxStore,
  guardLiveRunner,
  guardRunJournal,
  guardRunnerService,
  guardScheduleStore,
  guardWebhookStore,
} from "./guarded-runs.ts";
import { RunsCheckedForRequest } from "./runs-checked-for-request.ts";

/**
 * The dependencies of routes on a server with authentication: each port checks the caller of the request that uses it,
 * and puts the names that it gets into the caller's tenant, so that a route that omits one of them cannot reach data of
 * another caller. Used by the server in one process and by the gateway service.
 */
export function guardPorts<Deps extends GatewayDeps>(deps: Deps): Deps {
  const admitted = new RunsCheckedForRequest();
  const runJournal = guardRunJournal(deps.runJournal, admitted);
  return {
    ...deps,
    runJournal,
    runnerService: guardRunnerService(deps.runnerService, deps.runJournal, admitted),
    liveRunner: deps.liveRunner && guardLiveRunner(deps.liveRunner, admitted),
    runStream: guardRunStream(deps.runStream, runJournal, admitted),
    traceStore: guardTraceStore(deps.traceStore),
    idempotencyStore: guardIdempotencyStore(deps.idempotencyStore),
    sessionService: guardPort(deps.sessionService, {
      createSession: "itself",
      getSession: "itself",
      listSessions: "itself",
      deleteSession: "itself",
      listEvents: "itself",
      listEventRecords: "itself",
      appendEvent: "itself",
      closeSession: "itself",
      applyStateDelta: "itself",
    }),
    artifactService: guardPort(deps.artifactService, {
      saveArtifact: "session",
      loadArtifact: "session",
      describeArtifact: "session",
      readArtifact: "session",
      listArtifactKeys: "itself",
      listVersions: "session",
      listArtifactVersions: "session",
      getArtifactVersion: "session",
      deleteArtifact: "session",
      deleteSessionArtifacts: "itself",
    }),
    memoryService: guardPort(deps.memoryService, {
      addSessionToMemory: "itself",
      addMemoryEntries: "itself",
      searchMemory: "itself",
      deleteSessionMemory: "itself",
    }),
    evalStore: guardPort(deps.evalStore, {
      createEvalSet: "itself",
      listEvalSets: "itself",
      getEvalSet: "itself",
      deleteEvalSet: "itself",
      listEvalCases: "itself",
      getEvalCase: "itself",
      addEvalCase: "itself",
      updateEvalCase: "itself",
      deleteEvalCase: "itself",
      saveEvalSetResult: "itself",
      listEvalSetResults: "itself",
      getEvalSetResult: "itself",
    }),
    pushStore: deps.pushStore && guardPushStore(deps.pushStore),
    scheduleStore: deps.scheduleStore && guardScheduleStore(deps.scheduleStore),
    inboxStore: deps.inboxStore && guardInboxStore(deps.inboxStore),
    webhookStore: deps.webhookStore && guardWebhookStore(deps.webhookStore),
    userCredentials: guardCredentials(deps.userCredentials),
    evalJobs: guardEvalJobs(deps.evalJobs),
    builder: deps.builder && guardPort(deps.builder, { read: "app", save: "app", cancel: "app" }),
  };
}

/** The stream of a run is read only by those who reach its record. */
function guardRunStream(
  stream: GatewayDeps["runStream"],
  journal: Pick<GatewayDeps["runJournal"], "get">,
  admitted: RunsCheckedForRequest,
): GatewayDeps["runStream"] {
  const afterCheck: typeof stream.subscribe = async function* (runId, options) {
    // The journal is guarded: it returns no run of another user.
    if ((await journal.get(runId)) === undefined) throw new RunNotFoundError(runId);
    yield* stream.subscribe(runId, options);
  };
  return {
    newKey: stream.newKey?.bind(stream),
    subscribe: (runId, given) => {
      const options = inCallersTenant(given);
      return admitted.has(runId) ? stream.subscribe(runId, options) : afterCheck(runId, options);
    },
    watch: (given, listener) => {
      const session = inCallersTenant(given);
      assertReach(callingPrincipal(), session);
      return stream.watch(session, listener);
    },
    announce: (given) => {
      const session = inCallersTenant(given);
      assertReach(callingPrincipal(), session);
      stream.announce(session);
    },
  };
}

/** The configurations of a task are reached by those who reach its session. Deliveries are not made for a request. */
function guardPushStore(store: PushStore): PushStore {
  const own = (task: PushTask): PushTask => {
    const session = inCallersTenant(task.session);
    assertReach(callingPrincipal(), session);
    return { ...task, session };
  };
  return {
    save: async (push) => store.save({ ...push, task: own(push.task) }),
    get: async (task, id) => store.get(own(task), id),
    list: async (task) => store.list(own(task)),
    delete: async (task, id) => store.delete(own(task), id),
    deleteSession: async (session) => store.deleteSession(own({ taskId: "", session }).session),
    wake: async (task, nowMs) => store.wake(own(task), nowMs),
    listDue: (limit) => store.listDue(limit),
    take: (due, untilMs) => store.take(due, untilMs),
    postpone: (due, toMs) => store.postpone(due, toMs),
    put: (push, state, untilMs) => store.put(push, state, untilMs),
    release: (push, state, dueMs) => store.release(push, state, dueMs),
    remove: (push) => store.remove(push),
    deleteData: (request) => store.deleteData(request),
  };
}

function guardTraceStore(store: GatewayDeps["traceStore"]): GatewayDeps["traceStore"] {
  return {
    byEvent: async (reader, eventId) => {
      const own = reachableReader(reader);
      return own && store.byEvent(own, eventId);
    },
    bySession: async (reader, sessionId) => {
      const own = reachableReader(reader);
      return own === undefined ? [] : store.bySession(own, sessionId);
    },
  };
}

/**
 * The reader with the caller's tenant and user. Undefined if it finds nothing: a caller without a user, and one that may use only
 * some apps and names none, because spans do not have their app.
 */
function reachableReader(reader: TraceReader): TraceReader | undefined {
  const principal = callingPrincipal();
  const { appName = principal.appName, userId = principal.userId } = reader;
  if (userId === undefined && !principal.scopes.includes(EVERY_USER_SCOPE)) return undefined;
  if (appName === undefined && principal.mayUse !== undefined) return undefined;
  const own = {
    ...inTenant(principal.tenantId),
    appName,
    userId,
  };
  assertReach(principal, userId === undefined ? { ...own, everyUser: true } : own);
  return own;
}

/** Adds the caller's user to each key, and its tenant to each call, so that the same key of another caller is a different key. */
function guardIdempotencyStore(store: IdempotencyStore): IdempotencyStore {
  const ownKey = (key: string): string => {
    const { userId } = callingPrincipal();
    return userId === undefined ? key : `${key}:${userId}`;
  };
  return {
    claim: (key, fingerprint) => store.claim(ownKey(key), fingerprint, callingPrincipal().tenantId),
    complete: (key, record) => store.complete(ownKey(key), record, callingPrincipal().tenantId),
    release: (key) => store.release(ownKey(key), callingPrincipal().tenantId),
  };
}
