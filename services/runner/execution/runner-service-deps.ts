import type { RunnerDeps } from "../deps.ts";
import type { LiveClients } from "../live/live-clients.ts";
import type { AgentRevisions } from "../revisions/agent-revisions.ts";
import type { RunSlots } from "../slots/run-slots.ts";
import type { RunExecutor } from "./run-executor.ts";
import type { RunnerPool } from "./runner-pool.ts";
import type { RunsInProcess } from "./runs-in-process.ts";

/** The ports of a runner, and the parts of this process that handle its runs. */
export interface RunnerServiceDeps extends RunnerDeps {
  readonly pool: RunnerPool;
  readonly revisions: AgentRevisions;
  readonly executor: RunExecutor;
  readonly slots: RunSlots;
  readonly runs: RunsInProcess;
  readonly liveClients: LiveClients;
}
