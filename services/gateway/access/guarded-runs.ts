import { appNotFound } from "#kit/definitions/loaders/agent-loader.ts";
import { RunNotFoundError } from "#kit/errors/session-errors.ts";
import type { ListRunsRequest, ListRunsResponse } from "#kit/sessions/run-journal.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { EvalJob, EvalJobKey } from "#ports/evaluation-jobs/eval-job.ts";
import { evalJobNotFound } from "#ports/evaluation-jobs/eval-job-rules.ts";
import type { EvalJobs } from "#ports/evaluation-jobs/eval-jobs.ts";
import type { InboxEntryKey, InboxStore } from "#ports/inbox/inbox-store.ts";
import type { LiveRunnerService } from "#ports/runs/live-runner-service.ts";
import type { RunnerService } from "#ports/runs/runner-service.ts";
import type { Schedule } from "#ports/schedules/schedule.ts";
import type { ScheduleKey, ScheduleStore } from "#ports/schedules/schedule-store.ts";
import type { Webhook } from "#ports/webhooks/webhook.ts";
import type { WebhookKey, WebhookStore } from "#ports/webhooks/webhook-store.ts";
import { assertReach, EVERY_USER_SCOPE, mayReach, ownerOfRuns, type Principal } from "#shared/security/principal.ts";
import type { GatewayDeps } from "../deps.ts";
import { callingPrincipal, inCallersTenant } from "./guarded-port.ts";
import type { RunsCheckedForRequest } from "./runs-checked-for-request.ts";

/** How many pages of the store a request may read, so that its cost does not grow with the runs of other apps. */
const MAX_STORE_PAGES = 10;

type Journal = GatewayDeps["runJournal"];

/** The journal for requests: a run of another user is like one that does not exist. */
export function guardRunJournal(journal: Journal, admitted: RunsCheckedForRequest): Journal {
  return {
    get: async (runId) => {
      const run = await journal.get(runId, callingPrincipal().tenantId);
      return run !== undefined && admitted.admit(run) ? run : undefined;
    },
    list: async (request) => {
      const principal = callingPrincipal();
      const { appName = principal.appName, userId = principal.userId } = request;
      const session = request.session && inCallersTenant(request.session);
      const narrowed = {
        ...inCallersTenant(request),
        ...(session !== undefined && { session }),
        ...(appName !== undefined && { appName }),
        ...(userId !== undefined && { userId }),
      };
      const owner = session ?? ownerOfRuns({ tenantId: principal.tenantId, appName, userId });
      // Without an app, each run of the answer is checked.
      assertReach(owner.appName === undefined ? withoutApps(principal) : principal, owner);
      return principal.mayUse === undefined ? journal.list(narrowed) : listReachable(journal, narrowed, principal);
    },
    getHeads: async (sessions) => {
      const principal = callingPrincipal();
      const own = sessions.map(inCallersTenant);
      for (const session of own) assertReach(principal, session);
      return journal.getHeads(own);
    },
    cancel: async (runId) => {
      await assertOwnRun(journal, admitted, runId);
      return journal.cancel(runId, callingPrincipal().tenantId);
    },
  };
}

/** The runner for requests. Apps that the caller may not use are like ones that do not exist. */
export function guardRunnerService(
  runner: RunnerService,
  journal: Pick<Journal, "get">,
  admitted: RunsCheckedForRequest,
): RunnerService {
  return {
    startRun: async (request) => {
      const session = inCallersTenant(request.session);
      assertReach(callingPrincipal(), session);
      const run = await runner.startRun({ ...request, session });
      if (!admitted.admit(run)) throw new RunNotFoundError(run.runId);
      return run;
    },
    cancelRun: async (runId) => {
      await assertOwnRun(journal, admitted, runId);
      return runner.cancelRun(runId, callingPrincipal().tenantId);
    },
    listApps: async () => {
      const { mayUse } = callingPrincipal();
      const names = await runner.listApps();
      return mayUse === undefined ? names : names.filter(mayUse);
    },
    describeApp: async (appName) => {
      const principal = callingPrincipal();
      if (!mayReach(principal, { tenantId: principal.tenantId, appName })) throw appNotFound(appName);
      return runner.describeApp(appName);
    },
  };
}

/** Live runs for requests. */
export function guardLiveRunner(runner: LiveRunnerService, admitted: RunsCheckedForRequest): LiveRunnerService {
  return {
    runLive: async function* (request) {
      const session = inCallersTenant(request.session);
      assertReach(callingPrincipal(), session);
      for await (const progress of runner.runLive({ ...request, session })) {
        if (progress.kind === "recorded" && !admitted.admit(progress.run)) throw new RunNotFoundError(request.runId);
        yield progress;
      }
    },
  };
}

async function assertOwnRun(
  journal: Pick<Journal, "get">,
  admitted: RunsCheckedForRequest,
  runId: string,
): Promise<void> {
  if (admitted.has(runId)) return;
  const run = await journal.get(runId, callingPrincipal().tenantId);
  if (run === undefined || !admitted.admit(run)) throw new RunNotFoundError(runId);
}

function withoutApps({ mayUse: _, ...principal }: Principal): Principal {
  return principal;
}

/**
 * A page of the runs whose apps the caller may use. The store's query has no filter for several apps, so it is asked for
 * pages until this one is full, or for so many that the answer has fewer runs and the place of the next page. The user is
 * always part of the query.
 */
async function listReachable(
  journal: Pick<Journal, "list">,
  request: ListRunsRequest,
  principal: Principal,
): Promise<ListRunsResponse> {
  const runs: RunRecord[] = [];
  let place = request;
  for (let pages = 1; ; pages++) {
    const page = await journal.list(place);
    for (const [index, run] of page.runs.entries()) {
      if (!mayReach(principal, run.session)) continue;
      runs.push(run);
      if (runs.length !== request.pageSize) continue;
      // The next page begins directly after this run.
      const { nextPageToken } = await journal.list({ ...place, pageSize: index + 1 });
      return { runs, nextPageToken };
    }
    if (page.nextPageToken === undefined) return { runs };
    if (pages === MAX_STORE_PAGES) return { runs, nextPageToken: page.nextPageToken };
    place = { ...place, pageToken: page.nextPageToken };
  }
}

/** The evaluations for requests: one of another requester is like one that does not exist. */
export function guardEvalJobs(jobs: EvalJobs): EvalJobs {
  const find = async (key: EvalJobKey): Promise<EvalJob | undefined> => {
    const job = await jobs.get(inCallersTenant(key));
    return job !== undefined && mayReach(callingPrincipal(), ownerOf(job)) ? job : undefined;
  };
  const own = async <Key extends EvalJobKey>(key: Key): Promise<Key> => {
    if ((await find(key)) === undefined) throw evalJobNotFound(key);
    return inCallersTenant(key);
  };
  return {
    describe: () => jobs.describe(),
    start: async (given) => {
      const job = inCallersTenant(given);
      assertReach(callingPrincipal(), ownerOf(job));
      return jobs.start(job);
    },
    get: find,
    list: async (request) => {
      const principal = callingPrincipal();
      const { appName = principal.appName, userId = onlyUser() } = request;
      const narrowed = {
        ...inCallersTenant(request),
        ...(appName !== undefined && { appName }),
        ...(userId !== undefined && { userId }),
      };
      const { mayUse, ...inAllApps } = principal;
      // Without an app, each job of the answer is checked.
      assertReach(appName === undefined ? inAllApps : principal, ownerOfRuns({ ...principal, appName, userId }));
      const page = await jobs.list(narrowed);
      return { ...page, jobs: page.jobs.filter((job) => mayUse === undefined || mayUse(job.appName)) };
    },
    listCases: async (request) => jobs.listCases(await own(request)),
    listResults: async (request) => jobs.listResults(await own(request)),
    watch: async function* (request, signal) {
      yield* jobs.watch(await own(request), signal);
    },
    cancel: async (key) => jobs.cancel(await own(key)),
  };
}

/** The schedules for requests: one of another user, or of an app that the caller may not use, is like one that does not exist. */
export function guardScheduleStore(store: ScheduleStore): ScheduleStore {
  const find = async (given: ScheduleKey): Promise<Schedule | undefined> => {
    const schedule = await store.get(inCallersTenant(given));
    return schedule !== undefined && mayReach(callingPrincipal(), schedule) ? schedule : undefined;
  };
  return {
    create: async (given, limit) => {
      const schedule = inCallersTenant(given);
      assertReach(callingPrincipal(), schedule);
      return store.create(schedule, limit);
    },
    get: find,
    list: async (request) => {
      const principal = callingPrincipal();
      const { appName = principal.appName, userId = principal.userId } = request;
      const { mayUse, ...inAllApps } = principal;
      // Without an app, each schedule of the answer is checked.
      const owner = ownerOfRuns({ tenantId: principal.tenantId, appName, userId });
      assertReach(appName === undefined ? inAllApps : principal, owner);
      let page = await store.list({ ...inCallersTenant(request), appName, userId });
      for (let pages = 1; ; pages += 1) {
        const schedules = page.schedules.filter((schedule) => mayUse === undefined || mayUse(schedule.appName));
        const { nextPageToken: pageToken } = page;
        if (schedules.length > 0 || pageToken === undefined || pages === MAX_STORE_PAGES) return { ...page, schedules };
        page = await store.list({ ...inCallersTenant(request), appName, userId, pageToken });
      }
    },
    update: async (key, change) =>
      (await find(key)) === undefined ? undefined : store.update(inCallersTenant(key), change),
    delete: async (key) => (await find(key)) !== undefined && store.delete(inCallersTenant(key)),
    // The rest is not for requests.
    listDue: (limit) => store.listDue(limit),
    take: (due, untilMs) => store.take(due, untilMs),
    settle: (taken, settlement) => store.settle(taken, settlement),
    listData: (request) => store.listData(request),
    deleteData: (request) => store.deleteData(request),
  };
}

/** Times and claims for requests, of runs that the caller reaches. */
export function guardInboxStore(store: InboxStore): InboxStore {
  const own = (entry: InboxEntryKey): InboxEntryKey => {
    const session = inCallersTenant(entry.session);
    assertReach(callingPrincipal(), session);
    return { ...entry, session };
  };
  return {
    read: async (entries) => store.read(entries.map(own)),
    claim: async (entry, request) => store.claim(own(entry), request),
    release: async (entry, by, nowMs) => store.release(own(entry), by, nowMs),
    drop: async (entry) => store.drop(own(entry)),
    // The rest is not for requests.
    watch: (entry, expiry) => store.watch(entry, expiry),
    listDue: (limit) => store.listDue(limit),
    take: (due, untilMs) => store.take(due, untilMs),
    settle: (taken, nextMs, nowMs) => store.settle(taken, nextMs, nowMs),
    deleteData: (request) => store.deleteData(request),
  };
}

function ownerOf({ tenantId, appName, requester: { userId } }: Pick<EvalJob, "tenantId" | "appName" | "requester">) {
  return ownerOfRuns({ tenantId, appName, userId });
}

function onlyUser(): string | undefined {
  const { scopes, userId } = callingPrincipal();
  return scopes.includes(EVERY_USER_SCOPE) ? undefined : userId;
}

/**
 * The webhooks for requests: one that reports runs which the caller may not read is like one that does not exist, and none
 * can be made or changed to report them.
 */
export function guardWebhookStore(store: WebhookStore): WebhookStore {
  const find = async (given: WebhookKey): Promise<Webhook | undefined> => {
    const webhook = await store.get(inCallersTenant(given));
    return webhook !== undefined && isReached(callingPrincipal(), webhook) ? webhook : undefined;
  };
  return {
    create: async (given, secrets, limit) => {
      const webhook = inCallersTenant(given);
      assertReached(callingPrincipal(), webhook);
      return store.create(webhook, secrets, limit);
    },
    get: find,
    list: async (request) => {
      const principal = callingPrincipal();
      let page = await store.list(inCallersTenant(request));
      for (let pages = 1; ; pages += 1) {
        const webhooks = page.webhooks.filter((webhook) => isReached(principal, webhook));
        const { nextPageToken: pageToken } = page;
        if (webhooks.length > 0 || pageToken === undefined || pages === MAX_STORE_PAGES) return { ...page, webhooks };
        page = await store.list({ ...inCallersTenant(request), pageToken });
      }
    },
    update: async (key, change) => {
      if ((await find(key)) === undefined) return undefined;
      return store.update(inCallersTenant(key), (before) => {
        const after = change(before);
        if (after !== undefined) assertReached(callingPrincipal(), after);
        return after;
      });
    },
    changeSecrets: async (key, change) =>
      (await find(key)) !== undefined && store.changeSecrets(inCallersTenant(key), change),
    delete: async (key) => (await find(key)) !== undefined && store.delete(inCallersTenant(key)),
    post: async (key, event, nowMs) =>
      (await find(key)) === undefined ? undefined : store.post(inCallersTenant(key), event, nowMs),
    getDelivery: async (key, deliveryId) =>
      (await find(key)) === undefined ? undefined : store.getDelivery(inCallersTenant(key), deliveryId),
    listDeliveries: async (request) =>
      (await find(request)) === undefined ? { deliveries: [] } : store.listDeliveries(inCallersTenant(request)),
    replay: async (key, deliveryId, nowMs) =>
      (await find(key)) === undefined ? undefined : store.replay(inCallersTenant(key), deliveryId, nowMs),
    // The rest is not for requests.
    secretsOf: (key) => store.secretsOf(key),
    all: (version) => store.all(version),
    watch: (session, run) => store.watch(session, run),
    listDue: (limit) => store.listDue(limit),
    take: (due, untilMs) => store.take(due, untilMs),
    postpone: (due, toMs) => store.postpone(due, toMs),
    giveBack: (taken, dueMs) => store.giveBack(taken, dueMs),
    settleRuns: (taken, left, dueMs) => store.settleRuns(taken, left, dueMs),
    settleMessage: (taken, sent) => store.settleMessage(taken, sent),
    skipMessage: (taken, deliveryId, untilMs) => store.skipMessage(taken, deliveryId, untilMs),
    listData: (request) => store.listData(request),
    deleteData: (request) => store.deleteData(request),
  };
}

/** Whether the caller may read all runs that the webhook reports. */
function isReached(principal: Principal, webhook: Webhook): boolean {
  return ownersOf(webhook).every((owner) => mayReach(principal, owner));
}

/** Throws `FOREIGN_OWNER`. */
function assertReached(principal: Principal, webhook: Webhook): void {
  for (const owner of ownersOf(webhook)) assertReach(principal, owner);
}

function ownersOf({ tenantId, apps, userId }: Webhook) {
  return (apps ?? [undefined]).map((appName) => ownerOfRuns({ tenantId, appName, userId }));
}
