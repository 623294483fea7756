import { textOf } from "#kit/events/content.ts";
import { finalResponse } from "#kit/events/event.ts";
import { fromRecordJson } from "#kit/events/event-record.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { RouteDeps } from "../deps.ts";
import { answersOfUser } from "../streams/answers-of.ts";
import type { RunEnd } from "../streams/follow-run.ts";
import { relayRun } from "../streams/relay-run.ts";

/** How a run ended, and the last text of its agent. */
export interface RunAnswer {
  readonly end: RunEnd;
  readonly text: string;
}

export interface AnswerOptions {
  readonly controller: AbortController;
  /** Called for each complete event, with its number and author. */
  readonly onEvent?: (number: number, author: string) => void;
}

/** Reads the run to its end, live or from the store. Undefined if the controller was aborted before. */
export async function readAnswer(
  deps: RouteDeps,
  run: RunRecord,
  { controller, onEvent }: AnswerOptions,
): Promise<RunAnswer | undefined> {
  let text = "";
  let events = 0;
  const end = await relayRun(deps, {
    run,
    controller,
    answers: answersOfUser(deps, run.session, controller.signal),
    // The text of an answer needs no files.
    sink: {
      event: ({ json, partial }) => {
        if (partial) return;
        const event = fromRecordJson(json);
        events += 1;
        onEvent?.(events, event.author);
        const said = textOf(event.content);
        if (said !== "" && finalResponse(event)) text = said;
      },
      flush: () => undefined,
    },
  });
  return end && { end, text };
}
