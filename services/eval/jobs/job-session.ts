import { externalizeContent, hasLargeInlineData } from "#kit/artifacts/inline-data.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { ErrorReason } from "#kit/errors/reasons.ts";
import type { EvalCase } from "#kit/evaluation/eval-set.ts";
import type { CaseSession } from "#kit/evaluation/inference/run-and-evaluate.ts";
import type { TurnRequest } from "#kit/evaluation/inference/run-case.ts";
import type { Content } from "#kit/events/content.ts";
import { fromEventRecord, type StoredEvent } from "#kit/events/event-record.ts";
import { inTenant } from "#kit/names/tenant.ts";
import { isTerminal, type RunRecord } from "#kit/sessions/run-record.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { EvalJob } from "#ports/evaluation-jobs/eval-job.ts";
import { evalSessionPrefix } from "#ports/evaluation-jobs/eval-session-prefix.ts";
import { userOfCase } from "#ports/evaluation-jobs/users-of-case.ts";
import type { AppInfo } from "#ports/runs/runner-service.ts";
import { untilEnded } from "#ports/runs/until-ended.ts";
import { newStreamKey } from "#ports/sessions/stream-key.ts";
import { detailsOfApp } from "./details-of-app.ts";
import type { EvalWorkerDeps, JobCredentials } from "./worker-deps.ts";

export interface JobSessionOptions {
  readonly job: EvalJob;
  readonly index: number;
  readonly evalCase: EvalCase;
  /** How many conversations of the case were interrupted before. */
  readonly retry: number;
  readonly credentials: JobCredentials;
  /** Returns the description of the app for judges; absent if no judge is asked. */
  readonly describeApp: (() => Promise<AppInfo>) | undefined;
  /** Makes the call, and repeats it while the service is unavailable. */
  readonly call: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

/**
 * The session in which one case of a job is run. Its turns are runs of the platform under keys that follow from the
 * session's name: a turn that is requested again is not executed again, even if the process that requested it first was
 * lost.
 */
export class JobSession implements CaseSession {
  /** The same in each process that runs the case. */
  readonly name: string;
  readonly key: SessionKey;
  readonly #deps: EvalWorkerDeps;
  readonly #options: JobSessionOptions;
  #revision = 0;
  #active: RunRecord | undefined;
  #problem: unknown;

  constructor(deps: EvalWorkerDeps, options: JobSessionOptions) {
    const { job, index, evalCase, retry } = options;
    this.#deps = deps;
    this.#options = options;
    this.name = retry === 0 ? `${index}` : `${index}-${retry}`;
    const userId = userOfCase(job, evalCase);
    const id = `${evalSessionPrefix(job.jobId)}${this.name}`;
    this.key = { ...inTenant(job.tenantId), appName: job.appName, userId, id };
  }

  get sessionId(): string {
    return this.key.id;
  }

  get userId(): string {
    return this.key.userId;
  }

  /** What kept the platform from running a turn; undefined for failures of the agent and of the case's own messages. */
  get problem(): unknown {
    return this.#problem;
  }

  /** Opens the session with the case's state. A session that an earlier process has opened is used. */
  async open(): Promise<void> {
    const { evalCase } = this.#options;
    const state = evalCase.sessionInput?.state;
    const session = { ...this.key, state };
    try {
      await this.#call(() => this.#deps.sessionService.createSession(session));
    } catch (error) {
      if (!(error instanceof PlatformError && error.reason === "SESSION_ALREADY_EXISTS")) throw error;
    }
  }

  readonly startTurn: CaseSession["startTurn"] = async (turn) => {
    try {
      return await this.#run(turn);
    } catch (error) {
      if (!isOfCase(error)) this.#problem = error;
      throw error;
    }
  };

  /** Ends the run that is active, if there is one. */
  async cancel(): Promise<void> {
    const run = this.#active;
    if (run === undefined || isTerminal(run.status)) return;
    const { runnerService } = this.#deps;
    await this.#within(() => runnerService.cancelRun(run.runId, run.session.tenantId));
  }

  #call<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#options.call(() => this.#within(work));
  }

  #within<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#options.credentials.within(this.key, work);
  }

  async #run({ turn, message, signal }: TurnRequest) {
    const { job } = this.#options;
    const { runnerService, config } = this.#deps;
    const { keyId } = job.requester;
    const idempotencyKey = `${this.key.id}-${turn}`;
    const newMessage = await this.#stored(message, idempotencyKey);
    const request = { newMessage, keyId };
    const timeoutMs = config.RUN_TIMEOUT_MS;
    const start = { session: this.key, request, idempotencyKey, timeoutMs: timeoutMs > 0 ? timeoutMs : undefined };
    this.#active = await this.#call(() => runnerService.startRun({ ...start, streamKey: newStreamKey() }));
    const done = await this.#ended(this.#active, signal);
    this.#active = done;
    assertDone(done);
    const stored = await this.#eventsAfter(this.#revision);
    // In a conversation that is continued the events of later turns may follow.
    const own = stored.filter(({ invocationId }) => invocationId === done.invocationId);
    this.#revision = own.at(-1)?.sequence ?? this.#revision;
    const events = own.map(fromEventRecord);
    const app = await this.#options.describeApp?.();
    if (app === undefined) return { events };
    return { events, appDetails: detailsOfApp(app, new Set(events.map(({ author }) => author))) };
  }

  /** The message with its large data stored as artifacts, under names that are the same each time. */
  #stored(message: Content, owner: string): Promise<Content> {
    if (!hasLargeInlineData(message)) return Promise.resolve(message);
    const store = { artifacts: this.#deps.artifactService, session: this.key };
    return this.#call(() => externalizeContent(message, store, owner));
  }

  async #ended(started: RunRecord, signal: AbortSignal): Promise<RunRecord> {
    let run = started;
    while (!isTerminal(run.status)) {
      signal.throwIfAborted();
      const current = run;
      run = await this.#call(() => untilEnded({ ...this.#deps, signal }, current));
    }
    return run;
  }

  async #eventsAfter(afterRevision: number): Promise<readonly StoredEvent[]> {
    const events: StoredEvent[] = [];
    for (let place: { readonly pageToken?: string } = {}; ; ) {
      const page = await this.#call(() =>
        this.#deps.sessionService.listEventRecords({ ...this.key, afterRevision, ...place }),
      );
      events.push(...page.events);
      if (page.nextPageToken === undefined) return events;
      place = { pageToken: page.nextPageToken };
    }
  }
}

/**
 * Reasons of runs that ended because their models may not be called: the agent has not failed, and other cases would
 * end in the same way.
 */
const REFUSALS = ["QUOTA_EXCEEDED", "QUOTA_UNAVAILABLE", "MODEL_WITHOUT_PRICE"] as const satisfies ErrorReason[];

/** The run ended with the process that executed it, and will not be continued. */
export class InterruptedRunError extends Error {}

/** A run that waits for input counts as done, because an evaluation has no user who could answer. */
function assertDone({ runId, status, error }: RunRecord): void {
  if (status === "succeeded" || status === "awaiting_input") return;
  const why = `Run ${runId} ended as ${status}: ${error?.message ?? "no reason is known"}`;
  if (status === "interrupted") throw new InterruptedRunError(why);
  throw new PlatformError(REFUSALS.find((reason) => reason === error?.reason) ?? "RUN_FAILED", why);
}

/** Whether the agent failed, or the case has a message that no run accepts. */
function isOfCase(error: unknown): boolean {
  return error instanceof PlatformError && (error.reason === "RUN_FAILED" || error.code === "INVALID_ARGUMENT");
}
