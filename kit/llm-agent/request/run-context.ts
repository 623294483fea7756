import { isMessage } from "#kit/events/is-message.ts";
import type { RequestStep } from "#kit/llm-agent/base/step-context.ts";

/** Adds the context of the run's caller for this run only, directly before the user's newest message. Never stored. */
export function runContext({ context, request }: RequestStep): void {
  const { modelInputContext } = context.runConfig;
  if (modelInputContext === undefined || modelInputContext.length === 0) return;
  const { contents } = request;
  request.contents = contents.toSpliced(Math.max(contents.findLastIndex(isMessage), 0), 0, ...modelInputContext);
}
