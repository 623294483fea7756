import { firstAnswer } from "#kit/core/compose.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import { pluginLinks } from "#kit/core/plugin-manager.ts";
import { type Event, finalResponse, isOfClient } from "#kit/events/event.ts";
import type { RunEmission } from "#kit/runs/base/event-writer.ts";
import type { StartedRun } from "#kit/runs/base/started-run.ts";

/**
 * Runs the chosen agent: partial events are emitted immediately, complete events once they are stored. A final response
 * stays pending for at most one turn of the event loop, in which the run usually ends, so that it shares the commit of
 * the run's end.
 */
export async function* runAgent(run: StartedRun, context: InvocationContext): AsyncGenerator<readonly RunEmission[]> {
  const { writer } = run;
  const { agent } = context;
  const events = run.liveRequestQueue === undefined ? agent.runAsync(context) : agent.runLive(context);
  try {
    let next = events.next();
    for (;;) {
      if (writer.hasPending && !(await settlesThisTurn(next))) {
        await writer.flush();
        yield* stored(writer.takeEmissions());
      }
      const { done, value } = await next;
      if (done === true) return;
      const observed = observeEvent(run, context, value);
      const event = observed instanceof Promise ? await observed : observed;
      if (event.partial === true) {
        // A reader may not get a part of a run that a loss of power can undo.
        if (writer.durable !== undefined) await writer.durable;
        // Earlier events, and those that another agent's step has stored meanwhile, come first.
        if (writer.hasPending) await writer.flush();
        const before = writer.takeEmissions();
        yield before.length === 0 ? [{ event }] : [...before, { event }];
      } else {
        await writer.add(event, { emit: run.liveRequestQueue === undefined || !isOfClient(event) });
        if (!finalResponse(event)) await writer.flush();
        yield* stored(writer.takeEmissions());
      }
      next = events.next();
    }
  } finally {
    await events.return();
  }
}

function* stored(emissions: readonly RunEmission[]): Generator<readonly RunEmission[]> {
  if (emissions.length > 0) yield emissions;
}

function settlesThisTurn(promise: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    const nextTurn = setImmediate(resolve, false);
    const settled = (): void => {
      clearImmediate(nextTurn);
      resolve(true);
    };
    promise.then(settled, settled);
  });
}

/** Passes the event through the plugins. They may replace it, but not its id, invocation and time. */
export function observeEvent(run: StartedRun, context: InvocationContext, event: Event): Event | Promise<Event> {
  const links = pluginLinks(run.services, "onEventCallback", event.partial === true);
  if (links.length === 0) return stamp(event, run);
  return firstAnswer("onEventCallback", links, context, event).then((answer = event) => {
    const { id, invocationId, timestamp } = event;
    return stamp(answer === event ? event : { ...answer, id, invocationId, timestamp }, run);
  });
}

function stamp(event: Event, { runConfig }: StartedRun): Event {
  if (runConfig.customMetadata === undefined || event.customMetadata !== undefined) return event;
  return { ...event, customMetadata: runConfig.customMetadata };
}
