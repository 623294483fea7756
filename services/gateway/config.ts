import { Type } from "#kit/schema/shape.ts";
import { editorConfigSchema } from "#shared/agents/editor/editor-settings.ts";
import { answerConfigSchema } from "#shared/answers/answer-settings.ts";
import { auditConfigSchema } from "#shared/audit/audit-settings.ts";
import type { ConfigOf } from "#shared/config/config-schema.ts";
import { runTimeoutConfigSchema } from "#shared/process/run-timeout.ts";
import { addressOf, callerConfigSchema, serviceSettings } from "#shared/process/service-settings.ts";
import { quotaConfigSchema } from "#shared/quota/quota-settings.ts";
import { outboundConfigSchema } from "#shared/security/security-settings.ts";
import { credentialKeysConfigSchema } from "#shared/stores/content-settings.ts";
import {
  inboxStoreConfigSchema,
  pushStoreConfigSchema,
  scheduleStoreConfigSchema,
  webhookStoreConfigSchema,
} from "#shared/stores/due-stores.ts";
import { keyStoreConfigSchema } from "#shared/stores/key-store.ts";
import { sessionLimitsConfigSchema } from "#shared/stores/session-limits.ts";
import { dataDirConfigSchema, firestoreConfigSchema, postgresConfigSchema } from "#shared/stores/storage-settings.ts";
import { redisConfigSchema } from "#shared/transport/redis-settings.ts";
import { sharedTransportConfigSchema } from "#shared/transport/run-transport.ts";
import { identityConfigSchema } from "./identity/identity-settings.ts";
import { retentionConfigSchema } from "./retention/retention-settings.ts";
import { signInConfigSchema } from "./sign-in/sign-in-settings.ts";

/** Settings of the HTTP server. Each property is the name of the environment variable. */
export const gatewayConfigSchema = Type.Object({
  HOST: Type.String({ default: "127.0.0.1", description: "Address to listen on." }),
  PORT: Type.Integer({
    default: 8000,
    minimum: 0,
    maximum: 65535,
    description: "Port to listen on; 0 picks a free one.",
  }),
  ALLOWED_HOSTS: Type.Array(Type.String(), {
    default: [],
    description:
      "Names under which clients reach this server, comma separated; `*.` before one stands for all below it, `*` for every name. Loopback names always count; where HOST is not a loopback address, IP addresses and names without a dot do too.",
  }),
  ...identityConfigSchema.properties,
  ...signInConfigSchema.properties,
  MAX_BODY_BYTES: Type.Integer({
    default: 2 * 1024 * 1024,
    minimum: 1024,
    description: "Largest request body in bytes; the data of files in runs and artifacts does not count.",
  }),
  MAX_FILE_BODY_BYTES: Type.Integer({
    default: 50 * 1024 * 1024,
    minimum: 1024,
    description: "Largest body in bytes of requests that may carry files: runs and artifacts.",
  }),
  MAX_BODY_BYTES_IN_FLIGHT: Type.Integer({
    default: 128 * 1024 * 1024,
    minimum: 1024,
    description: "Bytes of request bodies that the process holds at the same time; beyond that it answers 503.",
  }),
  MAX_JSON_ELEMENTS: Type.Integer({
    default: 50_000,
    minimum: 100,
    description: "Members of objects and elements of lists that a body may have in all.",
  }),
  ...sessionLimitsConfigSchema.properties,
  CORS_MAPPING: Type.String({
    default: "/**",
    description: "Paths that allowed origins may use; `**` stands for any path, `*` for one segment.",
  }),
  CORS_ORIGINS: Type.Array(Type.String(), {
    default: [],
    description:
      "Origins allowed besides the server's own, comma separated; `*` allows all; `regex:` starts a pattern.",
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
  APP_RULES_FILE: Type.String({
    default: "",
    description:
      "YAML file with the users and groups that may use an app: `apps: { payroll: { users: [ada], groups: [finance] } }`. Apps that it does not name are for all callers. Without effect on a server without authentication.",
  }),
  ALLOW_CLIENT_APP_STATE: Type.Boolean({
    default: false,
    description:
      "Let clients write `app:` state, as ADK's servers do. Every user of the app reads it, instructions included; without this only agents write it.",
  }),
  ...quotaConfigSchema.properties,
  ...retentionConfigSchema.properties,
  AUTO_CREATE_SESSION: Type.Boolean({ default: false, description: "Create a run's session when it does not exist." }),
  SSE_HEARTBEAT_MS: Type.Integer({
    default: 15_000,
    minimum: 10,
    description: "Pause after which an idle stream gets a heartbeat, in ms.",
  }),
  SSE_STALL_MS: Type.Integer({
    default: 30_000,
    minimum: 10,
    description:
      "How long a client may read nothing of a stream or of another answer before it is disconnected, in ms.",
  }),
  ...answerConfigSchema.properties,
  LIVE_MAX_FRAME_BYTES: Type.Integer({
    default: 4 * 1024 * 1024,
    minimum: 1024,
    description: "Longest message of a client of a live run, in bytes; a longer one closes the socket with 1009.",
  }),
  LIVE_BUFFER_BYTES: Type.Integer({
    default: 64 * 1024 * 1024,
    minimum: 1024 * 1024,
    description:
      "What all live calls of one process may keep of messages that their runners have not taken, in bytes. Beyond it, calls that keep more than their share drop the oldest media, or are closed with 1013.",
  }),
  LIVE_PING_MS: Type.Integer({
    default: 20_000,
    minimum: 10,
    description:
      "Pause between two pings to the clients of live runs, in ms; one that leaves a ping without an answer is disconnected.",
  }),
  LIVE_IDLE_MS: Type.Integer({
    default: 15 * 60 * 1000,
    minimum: 0,
    description: "How long the client of a live run may send no message, in ms; 0 for no limit.",
  }),
  MCP_APPS: Type.Array(Type.String(), {
    default: [],
    description:
      "Apps that /mcp offers as tools of the Model Context Protocol, comma separated; `*` for all. Empty: there is no /mcp.",
  }),
  MCP_TASK_AFTER_MS: Type.Integer({
    default: 10_000,
    minimum: 0,
    description: "Milliseconds after which a call at /mcp becomes a task, for clients that support tasks.",
  }),
  A2A_APPS: Type.Array(Type.String(), {
    default: [],
    description:
      "Apps that clients of the Agent2Agent protocol may call below /a2a/{app}, comma separated; `*` for all. Their cards are public. Empty: the protocol is off.",
  }),
  A2A_CARDS_FILE: Type.String({
    default: "",
    description:
      "YAML file with members of agent cards, which replace what the apps give: `apps: { weather: { description: …, skills: […] } }`.",
  }),
  A2A_SIGNING_KEYS_FILE: Type.String({
    default: "",
    description:
      "File of private keys, PEM or JSON Web Keys, for P-256, Ed25519 or RSA: the first one signs agent cards, and the public halves of all are at /.well-known/jwks.json. Empty: cards are not signed.",
  }),
  A2A_GRPC_PORT: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 65535,
    description: "Port of the Agent2Agent protocol's gRPC binding, on the address of HOST; 0 for none.",
  }),
  A2A_GRPC_ADDRESS: Type.String({
    default: "",
    description:
      "Name and port under which clients reach A2A_GRPC_PORT, for the cards; empty for the name of the card's request.",
  }),
  ...pushStoreConfigSchema.properties,
  ...inboxStoreConfigSchema.properties,
  ...scheduleStoreConfigSchema.properties,
  ...webhookStoreConfigSchema.properties,
  ...outboundConfigSchema.properties,
  MAX_STREAMS_PER_USER: Type.Integer({
    default: 100,
    minimum: 0,
    description:
      "Streams that one user of one app may have open in one process; more are refused with 429. 0 for no limit.",
  }),
  MAX_CONNECTIONS: Type.Integer({
    default: 10_000,
    minimum: 0,
    maximum: 1_000_000,
    description:
      "Connections of one process. Requests on later ones are answered 503, and a tenth beyond that is closed without an answer. 0 for no limit.",
  }),
  HEADERS_TIMEOUT_MS: Type.Integer({
    default: 30_000,
    minimum: 0,
    maximum: 2 ** 31 - 1,
    description: "Longest time in which a request's headers arrive, in ms, else 408; 0 for no limit.",
  }),
  REQUEST_TIMEOUT_MS: Type.Integer({
    default: 5 * 60 * 1000,
    minimum: 0,
    maximum: 2 ** 31 - 1,
    description: "Longest time in which a whole request arrives, its body included, in ms, else 408; 0 for no limit.",
  }),
  ON_DISCONNECT: Type.Enum(["continue", "cancel"], {
    default: "continue",
    description: "What happens to a run whose client leaves, if neither its request nor its app sets a policy.",
  }),
  ...runTimeoutConfigSchema.properties,
  ...editorConfigSchema.properties,
  TRUST_TRACEPARENT: Type.Boolean({
    default: false,
    description:
      "Continue the trace that a request's `traceparent` names, for callers that are trusted to choose trace ids; else the request begins a trace of its own that names the client's.",
  }),
  DEV_UI: Type.Boolean({ default: true, description: "Serve the developer UI." }),
  CONSOLE: Type.Boolean({ default: true, description: "Serve the page that shows and controls runs, at `/console`." }),
  DEV_UI_DIR: Type.String({ default: "", description: "Folder of another build of the developer UI." }),
  DEV_UI_LOGO_TEXT: Type.String({ default: "Fairlead", description: "Name shown by the developer UI." }),
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
    description: "The folder of agents that the runners read, for the editor of the developer UI.",
    neededBy: { AGENT_EDITOR: ["true"] },
  }),
  ...keyStoreConfigSchema.properties,
  ...credentialKeysConfigSchema.properties,
  ...dataDirConfigSchema.properties,
  RUNNER_SERVICE_ADDRESS: addressOf("runner"),
  SESSION_SERVICE_ADDRESS: addressOf("session"),
  ARTIFACT_SERVICE_ADDRESS: addressOf("artifact"),
  MEMORY_SERVICE_ADDRESS: addressOf("memory"),
  EVAL_SERVICE_ADDRESS: addressOf("eval"),
  ...auditConfigSchema.properties,
  ...firestoreConfigSchema.properties,
  ...postgresConfigSchema.properties,
  ...callerConfigSchema.properties,
  ...sharedTransportConfigSchema.properties,
  ...redisConfigSchema.properties,
  ...serviceSettings("gateway"),
});
