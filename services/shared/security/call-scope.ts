import { AsyncLocalStorage } from "node:async_hooks";
import type { Principal } from "./principal.ts";

/** What a call between services takes along from the request or run that it is made for. */
export interface CallScope {
  /** W3C Trace Context of the span that calls. */
  readonly traceParent?: string;
  readonly principal?: Principal;
}

const SCOPES = new AsyncLocalStorage<CallScope>();

/** Runs the work, and all that it starts, in the scope. Entered only where tracing or principals are on: nothing else pays for it. */
export function inCallScope<Result>(scope: CallScope, work: () => Result): Result {
  return SCOPES.run(scope, work);
}

export function currentCallScope(): CallScope | undefined {
  return SCOPES.getStore();
}

/** The work, to be done in the scope of now whenever it is done: listeners of a socket are called outside of the request's. */
export function inThisCallScope(work: () => void): () => void {
  const scope = SCOPES.getStore();
  return scope === undefined ? work : () => SCOPES.run(scope, work);
}

/** The work, in the process's own name: what it asks for is not the data of the user whose request it is made for. */
export function outsideCallScope<Result>(work: () => Result): Result {
  return SCOPES.exit(work);
}
