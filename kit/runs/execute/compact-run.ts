import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import type { RunEmission } from "#kit/runs/base/event-writer.ts";
import type { StartedRun } from "#kit/runs/base/started-run.ts";
import { observeEvent } from "./run-agent.ts";
import { RunCompactor } from "./run-compactor.ts";

/** The run's compactor, if its app configures compaction. */
export function createCompactor(run: StartedRun): RunCompactor | undefined {
  const { app, meter, writer } = run;
  if (app.eventsCompaction === undefined) return undefined;
  return new RunCompactor({
    config: app.eventsCompaction,
    meter: meter?.summarizer,
    isCurrent: () => writer.isCacheable && !writer.hasPending,
    store: async (context, event) => {
      // Not emitted: clients treat a run's last event as its answer.
      await writer.add(await observeEvent(run, context, event), { emit: false });
      await writer.flush();
    },
  });
}

/** Summarizes the session if that is due. Clients get the run's answer before; only the run's end is delayed. */
export async function* compactAfterRun(
  { writer }: StartedRun,
  context: InvocationContext,
): AsyncGenerator<readonly RunEmission[]> {
  const { compactor } = context;
  if (compactor === undefined || !compactor.isDueAfterRun(context)) return;
  await writer.flush();
  const emissions = writer.takeEmissions();
  if (emissions.length > 0) yield emissions;
  await compactor.afterRun(context);
}
