import { setImmediate as nextTurn } from "node:timers/promises";
import { BaseAgent, type BaseAgentOptions } from "#kit/core/base-agent.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import { markOf, type PastTurn } from "#kit/core/context/past-turn.ts";
import { PlatformError } from "../errors/platform-error.ts";
import type { Event } from "../events/event.ts";
import { escalatesTo, waitsForAnswer } from "./turn-signals.ts";

/** Options of a `LoopAgent`. */
export interface LoopAgentOptions extends BaseAgentOptions {
  /** The most passes over the sub-agents. Absent: no limit. 0: the sub-agents do not run. */
  readonly maxIterations?: number;
}

interface Pass {
  readonly number: number;
  /** Set if the pass had begun before the turn was interrupted. */
  readonly past?: PastTurn;
}

/**
 * Runs its sub-agents in order, again and again, until an agent in it escalates (the tool `exit_loop` does) or
 * `maxIterations` is reached. An escalation stops the loop immediately and does not end a loop around it.
 */
export class LoopAgent extends BaseAgent {
  override readonly kind = "loop";
  override readonly catchesEscalation = true;
  readonly maxIterations: number | undefined;

  /** Throws what `BaseAgent` throws, and `INVALID_FIELD` for a wrong `maxIterations`. */
  constructor(options: LoopAgentOptions) {
    super(options);
    this.maxIterations = checkIterations(options.name, options.maxIterations);
  }

  protected override async *runAsyncImpl(context: InvocationContext): AsyncGenerator<Event, void, undefined> {
    yield* this.#runPasses(context, { number: 0 });
  }

  protected override async *resumeAsyncImpl(
    context: InvocationContext,
    past: PastTurn,
  ): AsyncGenerator<Event, void, undefined> {
    if (past.events.some((event) => escalatesTo(this, event))) return;
    const newest = past.events.findLastIndex((event) => markOf(event, this) !== undefined);
    const timesLooped = context.agentState?.["timesLooped"];
    yield* this.#runPasses(context, {
      number: typeof timesLooped === "number" ? timesLooped : 0,
      past: past.from(Math.max(newest, 0)),
    });
  }

  async *#runPasses(context: InvocationContext, first: Pass): AsyncGenerator<Event, void, undefined> {
    const limit = this.maxIterations ?? Number.POSITIVE_INFINITY;
    if (this.subAgents.length === 0) return;
    for (let pass = first; pass.number < limit; pass = { number: pass.number + 1 }) {
      const { length } = context.session.events;
      if (yield* this.#runPass(context.forPart({ past: pass.past }), pass)) return;
      context.signal.throwIfAborted();
      // A pass without events may have done no I/O. Yielding to the event loop lets other work of the process run.
      if (context.session.events.length === length) await nextTurn();
    }
  }

  /** Returns whether the loop has ended. */
  async *#runPass(context: InvocationContext, { number, past }: Pass): AsyncGenerator<Event, boolean, undefined> {
    // The first pass needs no progress mark, and a resumed pass has its mark already.
    let isMarked = number === 0 || past !== undefined;
    for (const agent of past?.remaining(this.subAgents) ?? this.subAgents) {
      const since = past === undefined ? context.session.events.length : 0;
      for await (const event of agent.runAsync(context)) {
        if (isMarked || event.partial === true) yield event;
        else {
          isMarked = true;
          yield context.withAgentState(event, { timesLooped: number });
        }
        if (escalatesTo(this, event)) return true;
      }
      if (waitsForAnswer(context, since)) return true;
    }
    return false;
  }
}

function checkIterations(name: string, maxIterations: number | undefined): number | undefined {
  if (maxIterations === undefined || (Number.isSafeInteger(maxIterations) && maxIterations >= 0)) return maxIterations;
  throw new PlatformError(
    "INVALID_FIELD",
    `Agent "${name}": maxIterations is ${maxIterations}: give a whole number from 0, or leave it out for no limit.`,
    { details: { field: "maxIterations" } },
  );
}
