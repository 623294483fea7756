import type { RunnerServiceDefinition } from "#proto/agentplane/runner/v1/RunnerService.ts";
import type { OwnerRules } from "#shared/security/owner-rules.ts";

/** For whom runs are asked. A run that is named by its id alone is checked by the journal, which is asked in the caller's name. */
export const RUNNER_OWNERS: OwnerRules<RunnerServiceDefinition> = {
  StartRun: ({ session }) => session ?? undefined,
  StartPipe: "by-handler",
  CancelRun: "by-handler",
  ListApps: "nobody",
  DescribeApp: "nobody",
  RunLive: ({ start }) => start?.session ?? undefined,
};
