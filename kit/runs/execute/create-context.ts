import { type HistoryCompactor, InvocationContext } from "#kit/core/context/invocation-context.ts";
import { InvocationCosts } from "#kit/core/context/invocation-costs.ts";
import type { Content } from "#kit/events/content.ts";
import type { StartedRun } from "#kit/runs/base/started-run.ts";
import { chooseTurn, storedEvents } from "#kit/runs/begin/choose-turn.ts";
import type { ActiveSpan } from "#kit/telemetry/run-trace.ts";

/** Objects of one execution. */
export interface RunScope {
  readonly span: ActiveSpan;
  readonly compactor: HistoryCompactor | undefined;
}

/** Creates the invocation's context; the current events of the session decide the agent. */
export function createContext(
  run: StartedRun,
  { span, compactor }: RunScope,
  userContent: Content | undefined,
): InvocationContext {
  const { app, cached, liveRequestQueue, record, runConfig, services, writer } = run;
  const turn = chooseTurn(run);
  const stored = storedEvents(run);
  if (turn.past !== undefined) writer.recall(turn.past.events, stored);
  else if (liveRequestQueue !== undefined && stored.length > 0) writer.recall(stored, stored);
  return new InvocationContext(
    {
      services,
      invocationId: record.invocationId,
      session: cached.session,
      history: cached.history,
      userContent,
      runConfig,
      signal: run.abort.signal,
      compactor,
      contextCache: app.contextCache,
      isResumable: app.resumability?.isResumable,
      isRecovered: record.attempts > 1,
      recorded: () => (writer.needsFlush ? writer.flush() : DONE),
      persisted: () => (writer.needsFlush || writer.durable !== undefined ? writer.persist() : DONE),
      callbackContextData: run.callbackContextData,
      liveRequestQueue,
    },
    { ...turn, span },
    new InvocationCosts(stored, { isLive: liveRequestQueue !== undefined }),
  );
}

const DONE = Promise.resolve();
