import type { ConfigOf } from "#shared/config-schema.ts";
import { redisConfigSchema } from "#shared/redis-settings.ts";
import { sharedRunStreamConfigSchema } from "#shared/run-transport.ts";
import { addressOf, callerConfigSchema, serviceSettings } from "#shared/service-settings.ts";
import { Type } from "#shared/type.ts";

/** Settings of the HTTP edge. Names in the environment are the UPPER_SNAKE form given in each description's first word. */
export const gatewayConfigSchema = Type.Object({
  HOST: Type.String({ default: "127.0.0.1", description: "Address to listen on." }),
  PORT: Type.Integer({
    default: 8000,
    minimum: 0,
    maximum: 65535,
    description: "Port to listen on; 0 picks a free one.",
  }),
  MAX_BODY_BYTES: Type.Integer({
    default: 50 * 1024 * 1024,
    minimum: 1024,
    description: "Largest request body in bytes.",
  }),
  CORS_MAPPING: Type.String({
    default: "/**",
    description: "Paths that allowed origins may use; `**` stands for any path, `*` for one segment.",
  }),
  CORS_ORIGINS: Type.Array(Type.String(), {
    default: [],
    description: "Origins allowed besides our own, comma separated; `*` allows all; `regex:` starts a pattern.",
  }),
  CORS_METHODS: Type.Array(Type.String(), {
    default: ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
    description: "Methods allowed to other origins.",
  }),
  CORS_HEADERS: Type.Array(Type.String(), { default: ["*"], description: "Request headers allowed to other origins." }),
  CORS_ALLOW_CREDENTIALS: Type.Boolean({ default: false, description: "Whether other origins may send credentials." }),
  CORS_MAX_AGE_SECONDS: Type.Integer({
    default: 3600,
    minimum: 0,
    description: "How long browsers may keep a preflight answer.",
  }),
  DEFAULT_APP_NAME: Type.String({
    default: "",
    description: "App used by requests that name none; empty for no default.",
  }),
  AUTO_CREATE_SESSION: Type.Boolean({ default: false, description: "Create a run's session when it does not exist." }),
  SSE_HEARTBEAT_MS: Type.Integer({
    default: 15_000,
    minimum: 10,
    description: "Pause after which an idle stream gets a comment, in ms.",
  }),
  SSE_STALL_MS: Type.Integer({
    default: 30_000,
    minimum: 10,
    description: "How long a reader may take nothing before it is cut off, in ms.",
  }),
  ON_DISCONNECT: Type.Enum(["continue", "cancel"], {
    default: "continue",
    description: "What becomes of a run whose client leaves when neither its request nor its app says.",
  }),
  RUN_TIMEOUT_MS: Type.Integer({ default: 0, minimum: 0, description: "Longest run in ms; 0 for no limit." }),
  DEV_UI: Type.Boolean({ default: true, description: "Serve the developer UI." }),
  CONSOLE: Type.Boolean({ default: true, description: "Serve the page that shows and steers runs, at `/console`." }),
  DEV_UI_DIR: Type.String({ default: "", description: "Folder of another build of the developer UI." }),
  DEV_UI_LOGO_TEXT: Type.String({ default: "Agentplane", description: "Name shown by the developer UI." }),
  PATH_PREFIX: Type.String({
    default: "",
    description: "Path below which a proxy publishes this server, such as /team-a.",
  }),
});

export type GatewayConfig = ConfigOf<typeof gatewayConfigSchema>;

/** All settings of the gateway service. */
export const gatewayProcessConfigSchema = Type.Object({
  ...gatewayConfigSchema.properties,
  AGENTS_DIR: Type.String({
    default: "",
    description: "The folder of agents that the runners read, where the YAML editor may write; empty for no editor.",
  }),
  RUNNER_SERVICE_ADDRESS: addressOf("runner"),
  SESSION_SERVICE_ADDRESS: addressOf("session"),
  ARTIFACT_SERVICE_ADDRESS: addressOf("artifact"),
  MEMORY_SERVICE_ADDRESS: addressOf("memory"),
  EVAL_SERVICE_ADDRESS: addressOf("eval"),
  ...callerConfigSchema.properties,
  ...sharedRunStreamConfigSchema.properties,
  ...redisConfigSchema.properties,
  ...serviceSettings("gateway"),
});
