import { toAppendedMessage } from "#adapters/grpc/messages/append-messages.ts";
import { toBegunMessages } from "#adapters/grpc/messages/begin-messages.ts";
import { toLeaseMessage } from "#adapters/grpc/messages/run-messages.ts";
import { RunNotFoundError } from "#kit/errors/session-errors.ts";
import type { TenantScoped } from "#kit/names/tenant.ts";
import { allPages } from "#kit/sessions/all-pages.ts";
import type {
  AppendEventsRequest,
  BeginRunRequest,
  BeginRunResult,
  ListAbandonedRequest,
  ListRunsRequest,
  RunJournal,
} from "#kit/sessions/run-journal.ts";
import { isTerminal, type Lease, type RunRecord } from "#kit/sessions/run-record.ts";
import type { AppendEventsResponse } from "#proto/fairlead/session/v1/AppendEventsResponse.ts";
import type { BeginRunResponse } from "#proto/fairlead/session/v1/BeginRunResponse.ts";
import type { RenewLeaseResponse } from "#proto/fairlead/session/v1/RenewLeaseResponse.ts";
import { type Authority, type GrantFor, principalOf } from "#shared/security/authority.ts";
import type { GrantIssuer } from "#shared/security/grant-issuer.ts";
import { ownerOfRun, type Principal } from "#shared/security/principal.ts";

/** The name of a run in calls that contain only its id. */
export interface RunKey extends TenantScoped {
  readonly runId: string;
}

/** Runs in a page when they are counted: few, because a page contains their requests, which are large. */
const COUNTED_PAGE = 200;

type MayReach = (owner: ReturnType<typeof ownerOfRun>) => boolean;

/** The journal for runners: limits what each authority reaches of it, and gives runs their grants. */
export class GrantedJournal {
  readonly journal: RunJournal;
  readonly #grants: GrantIssuer | undefined;

  constructor(journal: RunJournal, grants: GrantIssuer | undefined) {
    this.journal = journal;
    this.#grants = grants;
  }

  /**
   * Only a principal begins a new run. The grant of a run begins that run again, and an upkeep call begins a run that
   * no runner holds: its runner was lost, has handed it over or left it in the queue.
   */
  async begin(given: BeginRunRequest, authority: Authority, grantFor: GrantFor): Promise<Iterable<BeginRunResponse>> {
    const { kind } = authority;
    if (kind === "unchecked" || kind === "principal")
      return this.#begun(await this.journal.begin(given), authority, grantFor);
    // A run that is begun again may not shorten the time in which the lost run ahead of it can be recovered.
    const request = { ...given, abandonAfterMs: Math.max(given.abandonAfterMs ?? 0, given.leaseMs) };
    if (kind === "grant")
      return this.#begun(await this.journal.begin({ ...request, limitedTo: "recorded" }), authority, grantFor);
    const begun = await this.journal.begin({ ...request, limitedTo: "available" });
    if (begun.kind !== "existing") return this.#begun(begun, authority, grantFor);
    // Another runner has the run, or it has ended: this runner does not get the whole record.
    const { error, streamKey, attempts } = begun.run;
    // The error of a run that was never executed is the platform's. The runner in which it waited publishes it, and so
    // needs it.
    const shown = error !== undefined && attempts === 0 ? { error } : {};
    const key = streamKey === undefined ? {} : { streamKey };
    return this.#begun({ ...begun, run: { ...withoutContent(begun.run), ...shown, ...key } }, authority, grantFor);
  }

  #begun(result: BeginRunResult, authority: Authority, grantFor: GrantFor): Iterable<BeginRunResponse> {
    if (result.kind === "started") return toBegunMessages(result, this.#grants?.ofStarted(result.run, grantFor));
    const shown = { ...result, run: shownTo(authority, result.run) };
    return toBegunMessages(shown, result.kind === "queued" ? this.#grants?.ofQueued(result.run, grantFor) : undefined);
  }

  async append(request: AppendEventsRequest, authority: Authority): Promise<AppendEventsResponse> {
    const appended = await this.journal.append(request);
    return toAppendedMessage(appended, this.#renewed(request.lease, authority));
  }

  async renew(given: Lease, leaseMs: number, authority: Authority): Promise<RenewLeaseResponse> {
    const { lease, cancelRequested } = await this.journal.renew(given, leaseMs);
    return { lease: toLeaseMessage(lease), cancelRequested, grant: this.#renewed(given, authority) };
  }

  /** The new grant of a run that has just proved its lease; empty if the present one is still to be used. */
  #renewed(lease: Lease, authority: Authority): string {
    const grants = this.#grants;
    if (grants === undefined || authority.kind !== "grant" || !grants.isStale(authority.expiresAtMs)) return "";
    return grants.ofStarted(lease, authority.for);
  }

  /** The grant for other services; empty if none are used. */
  sign(authority: Authority): string {
    return this.#grants?.ofShown(authority) ?? "";
  }

  /** The run's record for callers that may reach it; for an upkeep call, that of a run which is pending. */
  async get({ runId, tenantId }: RunKey, authority: Authority, mayReach: MayReach): Promise<RunRecord | undefined> {
    const run = await this.journal.get(runId, tenantId);
    if (run === undefined) return undefined;
    const isShown = mayReach(ownerOfRun(run)) || (authority.kind === "no-user" && run.status === "pending");
    return isShown ? shownTo(authority, run) : undefined;
  }

  async listAbandoned(request: ListAbandonedRequest, authority: Authority): Promise<readonly RunRecord[]> {
    return (await this.journal.listAbandoned(request)).map((run) => shownTo(authority, run));
  }

  /** Throws `RUN_NOT_FOUND`, for a run of another owner as for one that does not exist. */
  async cancel({ runId, tenantId }: RunKey, authority: Authority, mayReach: MayReach): Promise<RunRecord> {
    if (authority.kind !== "unchecked") {
      const run = await this.journal.get(runId, tenantId);
      if (run === undefined || !mayReach(ownerOfRun(run))) throw new RunNotFoundError(runId);
    }
    return shownTo(authority, await this.journal.cancel(runId, tenantId));
  }

  /**
   * For upkeep calls: all active runs of the app, or of the app and user, as records without content and names, by
   * which a runner counts them. They have no page tokens, which may contain the ids of runs: the pages are read here,
   * and only one is in memory at a time.
   */
  async *activeRuns({ tenantId, appName = "", userId }: ListRunsRequest): AsyncGenerator<readonly RunRecord[]> {
    const owner = { tenantId, appName };
    const ofUser = userId === undefined ? {} : { userId };
    const query = { ...owner, ...ofUser, statuses: ["running"], pageSize: COUNTED_PAGE } as const;
    const session = { ...owner, userId: userId ?? "", id: "" };
    for await (const { runs } of allPages((place) => this.journal.list({ ...query, ...place })))
      yield runs.map((run) => ({ ...withoutContent(run), runId: "", invocationId: "", session }));
  }
}

/**
 * The record without the key of its stream, unless the call reaches the run's session: a runner gets the key when it begins
 * the run, and not while the run waits for another. The stream of a run that was never executed has its end alone, which
 * any runner publishes.
 */
function shownTo(authority: Authority, run: RunRecord): RunRecord {
  const neverExecuted = run.attempts === 0 && isTerminal(run.status);
  if (authority.kind === "unchecked" || neverExecuted || reachesSessions(principalOf(authority))) return run;
  const { streamKey: _, ...shown } = run;
  return shown;
}

/** Whether the call reaches more than the record of one run. */
function reachesSessions(principal: Principal | undefined): boolean {
  return principal !== undefined && (principal.runId === undefined || principal.sessionId !== undefined);
}

/** The part of a run's record that any runner may read. */
function withoutContent(run: RunRecord): RunRecord {
  const { runId, session, invocationId, status, policy, attempts, epoch, createdTime, cancelRequested, baseRevision } =
    run;
  const kept = {
    runId,
    session,
    invocationId,
    status,
    policy,
    attempts,
    epoch,
    createdTime,
    cancelRequested,
    baseRevision,
  };
  return { ...kept, request: {} };
}
