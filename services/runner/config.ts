import { Type } from "typebox";
import { agentsConfigSchema } from "#shared/agents-settings.ts";
import type { ConfigOf } from "#shared/config-schema.ts";
import { redisConfigSchema } from "#shared/redis-settings.ts";
import { sharedRunStreamConfigSchema } from "#shared/run-transport.ts";
import { addressOf, callerConfigSchema, grpcConfigSchema, serviceSettings } from "#shared/service-settings.ts";

/** Settings of whatever executes runs. */
export const runnerConfigSchema = Type.Object({
  MAX_LLM_CALLS: Type.Integer({ default: 500, minimum: 0, description: "Model calls per invocation; 0 for no limit." }),
  MAX_QUEUED_RUNS: Type.Integer({
    default: 32,
    minimum: 0,
    description: "Messages that may wait for one busy session besides the next one.",
  }),
  LEASE_MS: Type.Integer({
    default: 10_000,
    minimum: 300,
    description: "Time after which a run that nobody keeps up may be taken over, in ms.",
  }),
  SESSION_CACHE_BYTES: Type.Integer({
    default: 32 * 1024 * 1024,
    minimum: 0,
    description: "How much of recent sessions stays in memory, by the size of their JSON.",
  }),
  TRACE_CONTENT: Type.Boolean({
    default: false,
    description: "Put prompts and tool content on traces, where everybody who may see traces reads them.",
  }),
});

export type RunnerConfig = ConfigOf<typeof runnerConfigSchema>;

/** All settings of the runner service. */
export const runnerProcessConfigSchema = Type.Object({
  ...agentsConfigSchema.properties,
  ...runnerConfigSchema.properties,
  SESSION_SERVICE_ADDRESS: addressOf("session"),
  ARTIFACT_SERVICE_ADDRESS: addressOf("artifact"),
  MEMORY_SERVICE_ADDRESS: addressOf("memory"),
  ...callerConfigSchema.properties,
  ...sharedRunStreamConfigSchema.properties,
  ...redisConfigSchema.properties,
  ...grpcConfigSchema.properties,
  ...serviceSettings("runner"),
});
