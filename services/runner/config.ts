import { DEFAULT_MAX_RUN_CHARACTERS, DEFAULT_MAX_RUN_EVENTS } from "#kit/core/context/run-config.ts";
import { DEFAULT_ANSWER_LIMITS, MAX_ANSWER_PARTS } from "#kit/models/bounds/bounded-model.ts";
import { Type } from "#kit/schema/shape.ts";
import { CONCURRENCY_POLICIES } from "#kit/sessions/run-record.ts";
import { agentsConfigSchema } from "#shared/agents/agents-settings.ts";
import { editorConfigSchema } from "#shared/agents/editor/editor-settings.ts";
import type { ConfigOf } from "#shared/config/config-schema.ts";
import { addressOf, callerConfigSchema, grpcConfigSchema, serviceSettings } from "#shared/process/service-settings.ts";
import { quotaConfigSchema } from "#shared/quota/quota-settings.ts";
import { outboundConfigSchema } from "#shared/security/security-settings.ts";
import { postgresConfigSchema } from "#shared/stores/storage-settings.ts";
import { redisConfigSchema } from "#shared/transport/redis-settings.ts";
import { sharedTransportConfigSchema } from "#shared/transport/run-transport.ts";

/** Settings of every process that executes runs. */
export const runnerConfigSchema = Type.Object({
  MAX_LLM_CALLS: Type.Integer({ default: 500, minimum: 0, description: "Model calls per invocation; 0 for no limit." }),
  MAX_QUEUED_RUNS: Type.Integer({
    default: 32,
    minimum: 0,
    description: "Messages that may wait for one busy session besides the next one.",
  }),
  MAX_QUEUED_RUNS_PER_USER: Type.Integer({
    default: 500,
    minimum: 0,
    description:
      "Runs of one user of one app that may wait in one process, over all sessions; while there are so many, new runs of the user are refused with 429. 0 for no limit.",
  }),
  LEASE_MS: Type.Integer({
    default: 10_000,
    minimum: 300,
    maximum: 3_600_000,
    description: "Time after which a run whose lease is not renewed may be recovered by another runner, in ms.",
  }),
  MAX_CONCURRENT_RUNS: Type.Integer({
    default: 1000,
    minimum: 0,
    description: "Runs that one process executes at the same time; more are refused with 429. 0 for no limit.",
  }),
  MAX_CONCURRENT_RUNS_PER_APP: Type.Integer({
    default: 0,
    minimum: 0,
    description:
      "Runs of one app at the same time, over all processes that share a transport; more are refused with 429. 0 for no limit.",
  }),
  MAX_CONCURRENT_RUNS_PER_USER: Type.Integer({
    default: 0,
    minimum: 0,
    description:
      "Runs of one user of one app at the same time, over all processes that share a transport; more are refused with 429. 0 for no limit.",
  }),
  MAX_PROCESS_RUNS_PER_USER: Type.Integer({
    default: 100,
    minimum: 0,
    description:
      "Runs of one user of one app that one process executes at the same time; more are refused with 429. 0 for no limit.",
  }),
  ...quotaConfigSchema.properties,
  CONCURRENCY_POLICY: Type.Enum([...CONCURRENCY_POLICIES], {
    default: "enqueue",
    description: "What happens to a message for a busy session when neither the request nor the app sets a policy.",
  }),
  MAX_RUN_ATTEMPTS: Type.Integer({
    default: 2,
    minimum: 1,
    description:
      "How many runners a run may lose before it ends as failed. A run that is handed over has not lost its runner.",
  }),
  ON_ABANDONED_RUN: Type.Enum(["resume", "interrupt"], {
    default: "resume",
    description: "What happens to a run whose process was lost: it resumes where it stopped, or ends as interrupted.",
  }),
  AGENT_REVISION_POLICY: Type.Enum(["migrate", "fail"], {
    default: "migrate",
    description:
      "What happens to a run whose version of its agent no runner has any more: it continues with the present version, with an event that says so, or it ends as failed (AGENT_REVISION_UNAVAILABLE).",
  }),
  AGENT_REVISION_WAIT_MS: Type.Integer({
    default: 30_000,
    minimum: 0,
    maximum: 3_600_000,
    description:
      "How long such a run waits for a runner that has its version, in ms. A server in one process does not wait.",
  }),
  AGENT_REVISION_SETTLE_MS: Type.Integer({
    default: 120_000,
    minimum: 0,
    maximum: 3_600_000,
    description:
      "How long a runner that has loaded a changed agent continues to use the version before for new turns, while another runner has not loaded the new one, in ms.",
  }),
  MAX_ANSWER_CHARACTERS: Type.Integer({
    default: DEFAULT_ANSWER_LIMITS.maxAnswerCharacters,
    minimum: 1000,
    description:
      "Characters of one answer of a model: text, thoughts, code and arguments of calls. A longer answer ends its run with MODEL_ANSWER_TOO_LARGE.",
  }),
  MAX_ANSWER_PARTS: Type.Integer({
    default: DEFAULT_ANSWER_LIMITS.maxAnswerParts,
    minimum: 1,
    maximum: MAX_ANSWER_PARTS,
    description: "Parts of one answer of a model, calls of tools among them.",
  }),
  MAX_RUN_EVENTS: Type.Integer({
    default: DEFAULT_MAX_RUN_EVENTS,
    minimum: 10,
    description: "Events that one run may store. A run with more ends with RUN_TOO_LARGE.",
  }),
  MAX_RUN_CHARACTERS: Type.Integer({
    default: DEFAULT_MAX_RUN_CHARACTERS,
    minimum: 100_000,
    description: "Characters of all events of one run together, as JSON, without files that are kept as artifacts.",
  }),
  SESSION_CACHE_BYTES: Type.Optional(
    Type.Integer({
      minimum: 0,
      description:
        "How much of recent sessions stays in memory, by the size of their JSON. Without it a thirty-second of the heap that the process may have, at most 64 MiB.",
    }),
  ),
  ...outboundConfigSchema.properties,
  FILE_URI_HOSTS: Type.Array(Type.String(), {
    default: [],
    description:
      "Hosts whose addresses messages may name as files (fileData.fileUri), which the model's provider fetches: host, host:port or *.suffix, comma separated. gs:// and files of the Gemini API are always allowed.",
  }),
  OUTBOUND_TIMEOUT_MS: Type.Integer({
    default: 30_000,
    minimum: 100,
    maximum: 600_000,
    description:
      "Time for the whole answer of an address that a model, a user or another server has named, in ms. A tool whose calls have a limit of their own uses that instead.",
  }),
  OUTBOUND_MAX_BYTES: Type.Integer({
    default: 10 * 1024 * 1024,
    minimum: 1024,
    description:
      "Largest answer of an address that a model, a user or another server has named, in bytes, decompressed.",
  }),
  MODEL_MAX_TOKENS: Type.Optional(
    Type.Integer({ minimum: 1, description: "The most tokens of an answer, for models and agents that set none." }),
  ),
  MODEL_TEMPERATURE: Type.Optional(
    Type.Number({ minimum: 0, maximum: 2, description: "Randomness of answers, for models and agents that set none." }),
  ),
  MODEL_TOP_K: Type.Optional(
    Type.Integer({
      minimum: 1,
      description:
        "Tokens are sampled from this many of the most probable ones, for models and agents that set nothing.",
    }),
  ),
  MODEL_TOP_P: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description:
        "Tokens are sampled from the most probable ones with this total probability, for models and agents that set nothing.",
    }),
  ),
  MODEL_OBSERVABILITY: Type.Boolean({
    default: true,
    description: "Calls of models have spans and count in metrics, unless a model's own properties say otherwise.",
  }),
  MODEL_METRICS: Type.Boolean({
    default: true,
    description: "Calls of models count in metrics, unless a model's own properties say otherwise.",
  }),
  MODEL_VALIDATION: Type.Boolean({
    default: true,
    description: "Settings that a model does not know are not sent to it. If false, everything is sent as it is given.",
  }),
  MODEL_VALIDATION_FAIL_FAST: Type.Boolean({
    default: true,
    description:
      "A property of a model that the model does not know fails its calls. If false, it is left out with a warning.",
  }),
  TRACE_CONTENT: Type.Boolean({
    default: false,
    description: "Put prompts and tool content on traces, where everyone who may see traces can read them.",
  }),
  ANALYTICS_DIR: Type.String({
    default: "",
    description:
      "Folder for rows about the runs of all apps, as files of JSON lines with views for DuckDB; empty: none.",
  }),
  ANALYTICS_FILE: Type.String({
    default: "",
    description:
      "YAML file with the options of such rows, as docs/operate/analytics.md lists them: with `directory` in files, with `projectId` and `datasetId` in BigQuery; empty: none.",
  }),
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: Type.Enum(
    ["", "false", "true", "NO_CONTENT", "SPAN_ONLY", "EVENT_ONLY", "SPAN_AND_EVENT"],
    {
      default: "",
      description:
        "Where exported telemetry has prompts and tool content: attributes of spans (`true` or `SPAN_ONLY`), events among the log lines (`EVENT_ONLY`), both, or nowhere. Empty: on spans if TRACE_CONTENT is on.",
    },
  ),
});

export type RunnerConfig = ConfigOf<typeof runnerConfigSchema>;

/** All settings of the runner service. */
export const runnerProcessConfigSchema = Type.Object({
  ...agentsConfigSchema.properties,
  ...editorConfigSchema.properties,
  ...runnerConfigSchema.properties,
  SESSION_SERVICE_ADDRESS: addressOf("session"),
  ARTIFACT_SERVICE_ADDRESS: addressOf("artifact"),
  MEMORY_SERVICE_ADDRESS: addressOf("memory"),
  ...callerConfigSchema.properties,
  ...sharedTransportConfigSchema.properties,
  ...redisConfigSchema.properties,
  ...postgresConfigSchema.properties,
  ...grpcConfigSchema.properties,
  ...serviceSettings("runner"),
});
