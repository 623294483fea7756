import type { Content } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import type { AppDetails, EvalCase, Invocation } from "../eval-set.ts";
import { failureText } from "../metrics/failure-text.ts";
import type { ConversationEnd, UserSimulator } from "../simulation/user-simulator.ts";
import { invocationOfEvents } from "./invocation-of-events.ts";

/** One turn to be run. */
export interface TurnRequest {
  readonly evalCase: EvalCase;
  /** The position of the turn in its conversation. With the case's id it names the turn, so that a job can keep it. */
  readonly turn: number;
  readonly message: Content;
  readonly signal: AbortSignal;
}

/** The record of one turn. Seconds and details are absent if they were not measured. */
export interface TurnRecord {
  /** All events of the turn, the user's among them. */
  readonly events: readonly Event[];
  readonly appDetails?: AppDetails;
  readonly duration?: number;
  readonly modelDuration?: number;
  readonly toolDuration?: number;
}

/** Runs one turn of a case in the case's session, to its end. Throws if the run fails. */
export type StartTurn = (request: TurnRequest) => Promise<TurnRecord>;

/** The conversation of a case, complete or up to a failure. */
export type CaseRun =
  | { readonly kind: "finished"; readonly invocations: readonly Invocation[]; readonly end: ConversationEnd }
  | { readonly kind: "failed"; readonly invocations: readonly Invocation[]; readonly why: string };

interface RunCaseOptions {
  readonly user: UserSimulator;
  readonly startTurn: StartTurn;
  readonly signal: AbortSignal;
}

/** Lets a user talk to the agent, turn by turn. Throws only if the signal is aborted. */
export async function runCase(evalCase: EvalCase, { user, startTurn, signal }: RunCaseOptions): Promise<CaseRun> {
  const invocations: Invocation[] = [];
  try {
    for (;;) {
      signal.throwIfAborted();
      const next = await user.nextMessage(invocations, signal);
      if (next.kind === "end") return { kind: "finished", invocations, end: next.why };
      const turn = invocations.length;
      const { events, ...measured } = await startTurn({ evalCase, turn, message: next.content, signal });
      invocations.push({ ...invocationOfEvents(next.content, events), ...measured });
    }
  } catch (error) {
    signal.throwIfAborted();
    return { kind: "failed", invocations, why: failureText(error) };
  }
}
