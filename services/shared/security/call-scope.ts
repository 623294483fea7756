import { AsyncLocalStorage } from "node:async_hooks";
import type { Principal } from "./principal.ts";

/** What a call between services gets from the request or run that makes it. */
export interface CallScope {
  /** W3C Trace Context of the span that calls. */
  readonly traceParent?: string;
  /** For whom the call is made, where this process signs principals or checks the ports of requests. */
  readonly principal?: Principal;
  /** What the calls of a run carry, in a runner. */
  readonly credentials?: RunCredentials;
  /** Called if the call asks for something out of the principal's reach that is answered as absent. */
  readonly onForeign?: () => void;
  /** Called for each run that the request starts, or finds started by an equal request before. */
  readonly onRun?: (runId: string) => void;
  /** The same for evaluations, by the ids of their jobs. */
  readonly onEvaluation?: (jobId: string) => void;
}

/** The signed texts that the calls of one run carry. */
export interface RunCredentials {
  /** The gateway's principal with which the run was started or cancelled; none for a recovered run. */
  readonly principal?: string;
  /** The run's newest grant; none before the run has begun. */
  grant?: string;
  /** The grant for services other than the session service, if `grant` is for that one alone. */
  signed?: SignedGrant;
}

/** A grant that the session service has signed for a run that has shown it another one. */
export interface SignedGrant {
  /** The grant that was shown. */
  readonly of: string;
  /** Resolves when the text is there. */
  readonly arrival: Promise<void>;
  text?: string;
}

const SCOPES = new AsyncLocalStorage<CallScope>();

/**
 * Runs the work, and everything it starts, in the scope. Used only if tracing, principals or audit are on, so that nothing
 * else pays for it.
 */
export function inCallScope<Result>(scope: CallScope, work: () => Result): Result {
  return SCOPES.run(scope, work);
}

export function currentCallScope(): CallScope | undefined {
  return SCOPES.getStore();
}

/** Binds the work to the current scope: listeners of a socket are called outside of the request's. */
export function inThisCallScope<Given extends readonly unknown[], Result>(
  work: (...given: Given) => Result,
): (...given: Given) => Result {
  const scope = SCOPES.getStore();
  return scope === undefined ? work : (...given) => SCOPES.run(scope, work, ...given);
}

/** Runs the work outside of any scope, in the process's own name: its data is not that of the request's user. */
export function outsideCallScope<Result>(work: () => Result): Result {
  return SCOPES.exit(work);
}
