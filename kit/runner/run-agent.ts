import { setImmediate as nextTurn } from "node:timers/promises";
import type { InvocationContext } from "../agents/invocation-context.ts";
import { type Event, finalResponse } from "../events/event.ts";
import { firstAnswer } from "../plugins/compose.ts";
import type { RunEmission } from "./event-writer.ts";
import type { StartedRun } from "./started-run.ts";

/**
 * Runs the chosen agent: pieces go out as they come, complete events once they are stored. A final response waits for at most one turn of the
 * event loop, in which the run usually ends, so that it shares the commit of the run's end.
 */
export async function* runAgent(run: StartedRun, context: InvocationContext): AsyncGenerator<readonly RunEmission[]> {
  const { writer } = run;
  const onEvent = run.services.pluginManager.links("onEventCallback");
  const events = context.agent.runAsync(context);
  try {
    let next = events.next();
    for (;;) {
      if (writer.hasPending && !(await settlesThisTurn(next))) {
        await writer.flush();
        yield* stored(writer.takeEmissions());
      }
      const { done, value } = await next;
      if (done === true) return;
      const event = onEvent.length === 0 ? value : await observe(value, context, onEvent);
      if (event.partial === true) {
        yield [{ event: stamp(event, run) }];
      } else {
        await writer.add(stamp(event, run), { emit: true });
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

async function settlesThisTurn(promise: Promise<unknown>): Promise<boolean> {
  const settled = promise.then(
    () => true,
    () => true,
  );
  return Promise.race([settled, nextTurn(false)]);
}

/** Plugins may replace an event, but not its identity. */
async function observe(
  event: Event,
  context: InvocationContext,
  links: ReturnType<InvocationContext["pluginManager"]["links"]> &
    Parameters<typeof firstAnswer<[InvocationContext, Event], Event>>[1],
): Promise<Event> {
  const answer = await firstAnswer("onEventCallback", links, context, event);
  if (answer === undefined) return event;
  return { ...answer, id: event.id, invocationId: event.invocationId, timestamp: event.timestamp };
}

function stamp(event: Event, { runConfig }: StartedRun): Event {
  if (runConfig.customMetadata === undefined || event.customMetadata !== undefined) return event;
  return { ...event, customMetadata: runConfig.customMetadata };
}
