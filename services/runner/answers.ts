import type { RunnerServiceDefinition } from "#proto/fairlead/runner/v1/RunnerService.ts";
import type { AnswerBounds } from "#shared/grpc/answer-bounds.ts";

/** How a runner's answers are bounded: by the run that the caller itself has sent, and by the agents of the operator. */
export const RUNNER_ANSWERS: AnswerBounds<RunnerServiceDefinition> = {
  StartRun: "of-a-run",
  StartPipe: "of-a-run",
  CancelRun: "of-a-run",
  ListApps: "of-the-operator",
  DescribeApp: "of-the-operator",
  RunLive: "of-a-run",
};
