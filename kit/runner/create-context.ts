import { type HistoryCompactor, InvocationContext } from "../agents/invocation-context.ts";
import { InvocationCosts } from "../agents/invocation-costs.ts";
import type { Content } from "../events/content.ts";
import type { ActiveSpan } from "../telemetry/run-trace.ts";
import { chooseTurn, storedEvents } from "./choose-turn.ts";
import type { StartedRun } from "./started-run.ts";

/** What a run's execution has made for itself. */
export interface RunScope {
  readonly span: ActiveSpan;
  readonly compactor: HistoryCompactor | undefined;
}

/** The invocation as it stands: whose turn it is follows from the events that the session has now. */
export function createContext(
  run: StartedRun,
  { span, compactor }: RunScope,
  userContent: Content | undefined,
): InvocationContext {
  const { app, cached, liveRequestQueue, record, runConfig, services, writer } = run;
  const turn = chooseTurn(run);
  const stored = storedEvents(run);
  if (turn.past !== undefined) writer.recall(turn.past.events, stored);
  return new InvocationContext(
    {
      services,
      invocationId: record.invocationId,
      session: cached.session,
      history: cached.history,
      ...(userContent !== undefined && { userContent }),
      runConfig,
      signal: run.abort.signal,
      compactor,
      contextCache: app.contextCache,
      isResumable: app.resumability?.isResumable,
      persisted: () => (writer.hasPending ? writer.flush() : DONE),
      callbackContextData: run.callbackContextData,
      ...(liveRequestQueue !== undefined && { liveRequestQueue }),
    },
    { ...turn, span },
    new InvocationCosts(stored),
  );
}

const DONE = Promise.resolve();
