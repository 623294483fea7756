import { PlatformError } from "#kit/errors/platform-error.ts";
import { modelContent } from "#kit/events/content.ts";
import { createEvent, type Event } from "#kit/events/event.ts";
import { toEventRecord } from "#kit/events/event-record.ts";
import { inTenant } from "#kit/names/tenant.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import type { RunJournal } from "#kit/sessions/run-journal.ts";
import type { Lease, RunError, RunRecord, RunRequest, TerminalRunStatus } from "#kit/sessions/run-record.ts";
import type { PublishedEntry, RunStream } from "#ports/runs/run-stream.ts";
import type { AppInfo, RunnerService, StartRunRequest } from "#ports/runs/runner-service.ts";

/** Actions of a script while it executes a run. */
export interface ScriptedRun {
  readonly runId: string;
  readonly request: RunRequest;
  /** Streams a chunk of text. */
  partial(text: string): Promise<void>;
  /** Stores and streams an event. */
  say(event: string | Partial<Event>): Promise<void>;
}

/** Executes the run; an ending other than success is returned. */
export type RunScript = (
  run: ScriptedRun,
) => Promise<{ readonly status: TerminalRunStatus; readonly error?: RunError } | void>;

export interface ScriptedRunnerOptions {
  readonly journal: RunJournal;
  readonly runStream: RunStream;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly apps: ReadonlyMap<string, AppInfo>;
  readonly script: RunScript;
  /**
   * Runs have the ids that the gateway chooses, and answers continue the invocation that waits in their session, as with a
   * real runner; else runs and invocations have ids of their own.
   */
  readonly resumes?: boolean;
}

const LEASE_MS = 10_000;

/** A runner whose agent is a function of the test; runs, events and stream are real. */
export class ScriptedRunner implements RunnerService {
  readonly started: StartRunRequest[] = [];
  readonly cancelled: string[] = [];
  readonly #options: ScriptedRunnerOptions;

  constructor(options: ScriptedRunnerOptions) {
    this.#options = options;
  }

  async startRun(start: StartRunRequest): Promise<RunRecord> {
    await this.describeApp(start.session.appName);
    this.started.push(start);
    const { journal, ids, clock, resumes = false } = this.#options;
    const invocationId = (resumes ? await this.#waiting(start) : undefined) ?? `e-${ids.next()}`;
    const { session, request, policy = "enqueue", timeoutMs } = start;
    const begun = await journal.begin({
      ...{
        runId: (resumes ? start.runId : undefined) ?? ids.next(),
        session,
        invocationId,
        request,
        policy,
        holder: "test",
        leaseMs: LEASE_MS,
        haveRevision: 0,
      },
      ...(timeoutMs !== undefined && { deadline: clock.now() + timeoutMs }),
      ...(start.idempotencyKey !== undefined && { idempotencyKey: start.idempotencyKey }),
    });
    if (begun.kind === "started") void this.#play(begun.run, begun.lease);
    return begun.run;
  }

  async cancelRun(runId: string): Promise<RunRecord> {
    this.cancelled.push(runId);
    return this.#options.journal.cancel(runId);
  }

  async listApps(): Promise<readonly string[]> {
    return [...this.#options.apps.keys()].sort();
  }

  async describeApp(appName: string): Promise<AppInfo> {
    const info = this.#options.apps.get(appName);
    if (info === undefined) throw new PlatformError("APP_NOT_FOUND", `App not found: ${appName}`);
    return info;
  }

  async #waiting({ session }: StartRunRequest): Promise<string | undefined> {
    const { runs } = await this.#options.journal.list({ session, statuses: ["awaiting_input"] });
    return runs[0]?.invocationId;
  }

  async #play(run: RunRecord, firstLease: Lease): Promise<void> {
    const { journal, runStream, script } = this.#options;
    let lease = firstLease;
    let n = 0;
    const publish = async (entry: (position: { epoch: number; n: number }) => PublishedEntry): Promise<void> => {
      n += 1;
      await runStream.publish(run.runId, [entry({ epoch: lease.epoch, n })], {
        ...inTenant(run.session.tenantId),
        session: n === 1 ? run.session : undefined,
      });
    };
    const store = async (event: Event): Promise<void> => {
      const appended = await journal.append({
        lease,
        leaseMs: LEASE_MS,
        afterRevision: 0,
        events: [toEventRecord(event)],
      });
      lease = appended.lease;
      for (const { id, json, sequence } of event.author === "user" ? [] : appended.stored) {
        await publish((at) => ({ kind: "event", ...at, eventId: id, json, partial: false, sequence }));
      }
    };
    await store(
      this.#event(run, { author: "user", ...(run.request.newMessage && { content: run.request.newMessage }) }),
    );
    const ending = await script({
      runId: run.runId,
      request: run.request,
      partial: (text) => {
        const event = this.#event(run, { content: modelContent(text), partial: true });
        return publish((at) => ({
          kind: "event",
          ...at,
          eventId: event.id,
          json: JSON.stringify(event),
          partial: true,
        }));
      },
      say: (said) => store(this.#event(run, typeof said === "string" ? { content: modelContent(said) } : said)),
    });
    const { status, error } = ending ?? { status: "succeeded" };
    const failure = error === undefined ? {} : { error };
    await journal.finish({ lease, afterRevision: 0, events: [], status, ...failure });
    await publish((at) => ({ kind: "end", ...at, status, ...failure }));
  }

  #event({ invocationId }: RunRecord, given: Partial<Event>): Event {
    const { ids, clock } = this.#options;
    return createEvent({ id: ids.next(), invocationId, author: "agent", timestamp: clock.now(), ...given });
  }
}
