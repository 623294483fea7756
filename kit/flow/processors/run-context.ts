import type { StepContext } from "../step-context.ts";

/** What the run's caller wants the models to know this once, just before the user's newest message. Never stored. */
export function runContext({ context, request }: StepContext): void {
  const { modelInputContext } = context.runConfig;
  if (modelInputContext === undefined || modelInputContext.length === 0) return;
  const { contents } = request;
  const message = contents.findLastIndex(
    ({ role, parts }) => role === "user" && parts?.some((part) => part.functionResponse !== undefined) !== true,
  );
  request.contents = contents.toSpliced(Math.max(message, 0), 0, ...modelInputContext);
}
