import type { RunnerServiceDefinition } from "#proto/fairlead/runner/v1/RunnerService.ts";
import type { OwnerRules } from "#shared/security/owner-rules.ts";

/**
 * The owners of the requested runs. A run that is named only by its id is checked by the journal, in the caller's name.
 */
export const RUNNER_OWNERS: OwnerRules<RunnerServiceDefinition> = {
  StartRun: ({ session }) => session ?? undefined,
  StartPipe: "by-handler",
  CancelRun: "by-handler",
  ListApps: "no-user",
  DescribeApp: "no-user",
  RunLive: ({ start }) => start?.session ?? undefined,
};
