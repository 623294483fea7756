import { type HistoryCompactor, InvocationContext } from "#kit/core/context/invocation-context.ts";
import { InvocationCosts } from "#kit/core/context/invocation-costs.ts";
import type { Content } from "#kit/events/content.ts";
import type { StartedRun } from "#kit/runs/base/started-run.ts";
import { chooseTurn, storedEvents } from "#kit/runs/begin/choose-turn.ts";
import type { ActiveSpan } from "#kit/telemetry/run-trace.ts";

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
