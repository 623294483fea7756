import { isDeepStrictEqual } from "node:util";
import { toPlatformError } from "#kit/errors/platform-error.ts";
import { CONFIRMATION_CALL, CREDENTIAL_CALL } from "#kit/events/reserved-calls.ts";
import { inTenant, tenantOf } from "#kit/names/tenant.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { isTerminal, type RunRecord } from "#kit/sessions/run-record.ts";
import type { DueEntry, Expiry, InboxStore, TakenEntry } from "#ports/inbox/inbox-store.ts";
import { inCallScope } from "#shared/security/call-scope.ts";
import type { RouteDeps } from "../deps.ts";
import { DueLoop, decideDue } from "../due/due-loop.ts";
import { readWaitingCalls, type WaitingCall } from "../runs/waiting-calls.ts";
import { assertKeyAllows } from "../schedules/key-allows.ts";
import { type AnswerRequest, startAnswer } from "./answer-entry.ts";

export interface InboxExpirerOptions {
  /** The server's own store: it does not check a caller. */
  readonly store: InboxStore;
  /** Whether other processes note runs too, which this one finds by looking. */
  readonly isShared: boolean;
  /** How long a process may take for one entry until another one takes it. */
  readonly leaseMs?: number;
  readonly lookMs?: number;
}

/** The one who answers, in the audit log. */
const SUBJECT = "server:inbox";
const LEASE_MS = 30_000;
/** How often entries of other processes are looked for. */
const LOOK_MS = 10_000;
/** When an entry is looked at again whose answer has not been stored. */
const ANSWERED_MS = 60_000;
/** The pause after an answer that could not start, for example because a budget is used up. */
const RETRY_MS = 60_000;
/** A run that has no record after so long never began. */
const NEVER_BEGAN_MS = 10 * 60_000;

/**
 * Answers questions that nobody has answered in the time of their app, as the app says. An entry is leased, so that one process
 * at a time decides about it. The answer has the idempotency key of people's answers: one of all counts, and a process that
 * is lost after the start of the answer leaves the entry to another one, which finds the run.
 */
export class InboxExpirer {
  readonly #deps: RouteDeps;
  readonly #options: InboxExpirerOptions;
  readonly #loop: DueLoop;

  /** Uses the ports of requests: each answer reaches what the entry's user reaches. */
  constructor(deps: RouteDeps, options: InboxExpirerOptions) {
    this.#deps = deps;
    this.#options = options;
    const { store, isShared, lookMs = LOOK_MS } = options;
    const { clock, logger } = deps;
    const problem = "the times of the inbox cannot be read";
    const listDue = (limit: number) => store.listDue(limit);
    const decide = (due: DueEntry) => this.#decide(due);
    const lookOnce = () => decideDue({ listDue, decide, clock, loop: this.#loop });
    this.#loop = new DueLoop({ lookOnce, isShared, lookMs, logger, problem });
  }

  /** Entries of this process may be due. */
  look(): void {
    this.#loop.look();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** Never throws. Returns false if nothing could be decided: the entry is due again when its lease ends. */
  async #decide(due: DueEntry): Promise<boolean> {
    const { store, leaseMs = LEASE_MS } = this.#options;
    const { clock, logger } = this.#deps;
    try {
      const taken = await store.take(due, clock.now() + leaseMs);
      if (taken !== undefined) await store.settle(taken, await this.#nextLook(taken), clock.now());
      return true;
    } catch (error) {
      logger.warn({ error, entry: due.key }, "an entry of the inbox was not decided");
      return false;
    }
  }

  /** When the entry is to be looked at again; undefined if its question is over. */
  #nextLook({ entry, expiry, wasLost }: TakenEntry): Promise<number | undefined> {
    const { appName, userId, tenantId } = entry.session;
    const principal = { tenantId: tenantOf({ tenantId }), appName, userId, scopes: [] };
    return inCallScope({ principal }, async () => {
      if (expiry === undefined) return undefined;
      const nowMs = this.#deps.clock.now();
      const run = await this.#deps.runJournal.get(entry.runId, tenantId);
      if (run === undefined) return nowMs - expiry.sinceMs < NEVER_BEGAN_MS ? nowMs + ANSWERED_MS : undefined;
      // It waits from its end on.
      if (!isTerminal(run.status)) return nowMs + expiry.afterMs;
      if (run.status !== "awaiting_input") return undefined;
      if (run.answeredBy !== undefined) {
        if (wasLost && (await this.#isOurs(run.answeredBy, run))) this.#note(run);
        return undefined;
      }
      const expiresMs = (run.finishedTime ?? run.createdTime) + expiry.afterMs;
      return expiresMs > nowMs ? expiresMs : this.#answer(run, expiry, wasLost);
    });
  }

  async #answer(run: RunRecord, expiry: Expiry, wasLost: boolean): Promise<number | undefined> {
    const { clock, logger, sessionService } = this.#deps;
    const calls = await readWaitingCalls(sessionService, run);
    if (calls.length === 0) return undefined;
    const { keyId } = run.request;
    try {
      const answer = answerOf(calls, (await this.#mayRun(run)) ? expiry : { ...expiry, onExpiry: "fail" });
      const customMetadata = metadataOf(run);
      const started = await startAnswer(this.#deps, run, { ...answer, customMetadata, streaming: true, keyId });
      if (started.isNew || wasLost) this.#note(run);
    } catch (thrown) {
      const error = toPlatformError(thrown);
      // Somebody's answer is on its way, and may be lost.
      if (error.reason === "NOT_WAITING") return clock.now() + ANSWERED_MS;
      logger.warn({ error, runId: run.runId }, "a question that is too old could not be answered");
      this.#note(run, error.reason);
      return error.retryable ? clock.now() + RETRY_MS : undefined;
    }
    return clock.now() + ANSWERED_MS;
  }

  /** Whether the run is an answer of the server: a process that was lost after its start has perhaps noted nothing. */
  async #isOurs(answeredBy: string, run: RunRecord): Promise<boolean> {
    const answer = await this.#deps.runJournal.get(answeredBy, run.session.tenantId);
    return isDeepStrictEqual(answer?.request.customMetadata, metadataOf(run));
  }

  /** Whether the agent may continue: nothing does for an API key that is gone. */
  async #mayRun({ session: { appName, userId }, request: { keyId } }: RunRecord): Promise<boolean> {
    const { apiKeys } = this.#deps.unguarded;
    return assertKeyAllows(apiKeys, { appName, userId, owner: { keyId, groups: [] } }).then(
      () => true,
      () => false,
    );
  }

  #note({ runId, session, request: { keyId } }: RunRecord, reason?: string): void {
    const { auditor, clock, ids } = this.#deps;
    auditor?.note({
      kind: "decision",
      timeMs: clock.now(),
      ...inTenant(session.tenantId),
      subject: SUBJECT,
      ...(keyId !== undefined && { keyId }),
      action: "expireInboxEntry",
      resource: { appName: session.appName, userId: session.userId, sessionId: session.id, runId },
      decision: reason === undefined ? "allowed" : "refused",
      ...(reason !== undefined && { reason }),
      requestId: ids.next(),
    });
  }
}

function metadataOf({ runId }: RunRecord): JsonObject {
  return { inbox: { expired: runId } };
}

const TOO_OLD: JsonObject = { error: "Nobody answered in time." };

/** Only a user can sign in, so that the agent cannot continue without an answer. */
function answerOf(calls: readonly WaitingCall[], { onExpiry }: Pick<Expiry, "onExpiry">): AnswerRequest {
  const ends = onExpiry === "fail" || calls.some(({ name }) => name === CREDENTIAL_CALL);
  const confirmed = onExpiry === "approve" && !ends;
  const responses = calls.map(({ id, name }) => ({
    id,
    name,
    response: name === CONFIRMATION_CALL ? { confirmed } : TOO_OLD,
  }));
  return { responses, ...(ends && { endsInvocation: true, isExpired: true }) };
}
