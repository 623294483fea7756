import { ACCESS_REASONS } from "./access-reasons.ts";
import { CREDENTIAL_REASONS } from "./credential-reasons.ts";
import { EVALUATION_REASONS } from "./evaluation-reasons.ts";
import { INBOX_REASONS } from "./inbox-reasons.ts";
import { OUTBOUND_REASONS } from "./outbound-reasons.ts";
import { PLANNER_REASONS } from "./planner-reasons.ts";
import { QUOTA_REASONS } from "./quota-reasons.ts";
import type { ReasonEntry } from "./reason-entry.ts";
import { STORE_REASONS } from "./store-reasons.ts";
import { TOOL_REASONS } from "./tool-reasons.ts";

/** Every reason that an error of this system can have. Names are stable: clients may switch on them. */
export const ERROR_REASONS = {
  INTERNAL: { code: "INTERNAL", meaning: "A fault of the server. The log has the details under the request's id." },
  INVALID_FIELD: {
    code: "INVALID_ARGUMENT",
    http: 422,
    meaning: "A field has the wrong type or value. `detail` lists each problem.",
  },
  APP_NAME_MISSING: {
    code: "INVALID_ARGUMENT",
    meaning: "The request names no app, and the server has no default one (DEFAULT_APP_NAME).",
  },
  MALFORMED_JSON: { code: "INVALID_ARGUMENT", meaning: "The body is not JSON, or not valid UTF-8." },
  UNSUPPORTED_MEDIA_TYPE: {
    code: "INVALID_ARGUMENT",
    http: 415,
    meaning: "Send the body as application/json, or a type that ends with +json, and not compressed.",
  },
  MALFORMED_REQUEST: {
    code: "INVALID_ARGUMENT",
    meaning: "What was sent is not a valid HTTP/1.1 request, has two Host headers, or is broken multipart data.",
  },
  UPGRADE_REQUIRED: {
    code: "INVALID_ARGUMENT",
    http: 426,
    meaning: "The route is a WebSocket. Connect to it with a WebSocket client.",
  },
  HEADERS_TOO_LARGE: { code: "INVALID_ARGUMENT", http: 431, meaning: "The request's headers are too large." },
  BODY_INCOMPLETE: {
    code: "INVALID_ARGUMENT",
    meaning: "The connection was closed before the whole body had arrived. This error is never sent to a client.",
  },
  REQUEST_TIMEOUT: {
    code: "DEADLINE_EXCEEDED",
    http: 408,
    meaning:
      "The request did not arrive in time (HEADERS_TIMEOUT_MS, REQUEST_TIMEOUT_MS). Nothing was done; send it again.",
  },
  TOO_MANY_CONNECTIONS: {
    code: "UNAVAILABLE",
    meaning:
      "The server has reached its limit of connections (MAX_CONNECTIONS). `details.retryAfterSeconds` says when to try again.",
  },
  ANSWERS_TOO_LARGE: {
    code: "UNAVAILABLE",
    meaning:
      "The server has reached its limit of bytes of answers in progress (MAX_ANSWER_BYTES). `details.retryAfterSeconds` says when to try again.",
  },
  USER_ANSWERS_TOO_LARGE: {
    code: "RESOURCE_EXHAUSTED",
    meaning:
      "The user's answers in progress have reached one user's part of the limit (MAX_ANSWER_BYTES_PER_USER). Read them, or try again after `details.retryAfterSeconds`.",
  },
  TOO_MANY_STREAMS: {
    code: "RESOURCE_EXHAUSTED",
    meaning:
      "The user has reached the limit of open streams in this process (MAX_STREAMS_PER_USER). Close one, or try again after `details.retryAfterSeconds`.",
  },
  BODY_TOO_LARGE: {
    code: "INVALID_ARGUMENT",
    http: 413,
    meaning:
      "The body is over the server's limit: MAX_BODY_BYTES, or MAX_FILE_BODY_BYTES where files may be part of it.",
  },
  JSON_TOO_COMPLEX: {
    code: "INVALID_ARGUMENT",
    meaning:
      "The JSON has more members and elements than MAX_JSON_ELEMENTS allows, or is nested deeper than 200 levels. It was not parsed.",
  },
  TOO_MANY_BODIES: {
    code: "UNAVAILABLE",
    meaning:
      "The server has reached its limit of bytes of request bodies in memory (MAX_BODY_BYTES_IN_FLIGHT). Repeat the request after the time in Retry-After.",
  },
  STATE_TOO_LARGE: {
    code: "INVALID_ARGUMENT",
    http: 413,
    meaning:
      "A scope of the state (session, user or app) would have more bytes or keys than MAX_STATE_BYTES and MAX_STATE_KEYS allow. Nothing was stored. Keep large data in artifacts.",
  },
  TOO_MANY_EVENTS: {
    code: "INVALID_ARGUMENT",
    http: 413,
    meaning: "A new session has more events than MAX_IMPORTED_EVENTS allows. Nothing was stored.",
  },
  INVALID_IDENTIFIER: {
    code: "INVALID_ARGUMENT",
    meaning: "An app, user, session id or file name is empty, over 256 bytes of UTF-8, or has control characters.",
  },
  RESERVED_STATE_KEY: {
    code: "INVALID_ARGUMENT",
    meaning: "A client may not set this state key: `_adk…`, `__proto__` and the like belong to the server.",
  },
  APP_STATE_READ_ONLY: {
    code: "PERMISSION_DENIED",
    meaning:
      "Clients may not write `app:` state, which every user of the app reads; agents may. `details.key` names the key, `details.setting` the setting that allows it.",
  },
  INVALID_MESSAGE: {
    code: "INVALID_ARGUMENT",
    meaning:
      "A message, or an event of a given history, breaks a rule: no parts, another role than user, a function call, an answer without the id or with another name than its call, an answer mixed with text, actions, or a reserved name.",
  },
  FUNCTION_CALL_UNKNOWN: {
    code: "INVALID_ARGUMENT",
    meaning:
      "A functionResponse in the message answers a call that the session does not have, or no longer has after a rewind.",
  },
  INVALID_CURSOR: {
    code: "INVALID_ARGUMENT",
    meaning: "A page token, `Last-Event-ID` or `after` was not issued by this server.",
  },
  ROUTE_NOT_FOUND: { code: "NOT_FOUND", meaning: "There is no such path or method." },
  METHOD_NOT_ALLOWED: {
    code: "UNIMPLEMENTED",
    http: 405,
    meaning: "The path exists, with other methods; the `allow` header names them.",
  },
  APP_NOT_FOUND: {
    code: "NOT_FOUND",
    meaning: "No agent app of that name is loaded. GET /list-apps names those that are.",
  },
  SESSION_NOT_FOUND: { code: "NOT_FOUND", meaning: "This app and user have no session of that id." },
  RUN_NOT_FOUND: { code: "NOT_FOUND", meaning: "No run has that id, or its session was deleted." },
  ARTIFACT_NOT_FOUND: { code: "NOT_FOUND", meaning: "No artifact, or no version of it, under that name." },
  TRACE_NOT_FOUND: {
    code: "NOT_FOUND",
    meaning: "No trace of that event is kept. Traces are bounded and may have been dropped.",
  },
  TRACE_AMBIGUOUS: {
    code: "FAILED_PRECONDITION",
    http: 409,
    meaning:
      "Several users or apps have a session of that id. Name the app in the path and the user in the query (`userId`).",
  },
  EVENT_NOT_FOUND: { code: "NOT_FOUND", meaning: "The session has no event of that id." },
  SESSION_ALREADY_EXISTS: { code: "ALREADY_EXISTS", meaning: "This app and user already have a session of that id." },
  SESSION_CLOSED: {
    code: "FAILED_PRECONDITION",
    http: 409,
    meaning: "The session is closed: it can be read, but accepts no more events.",
  },
  DATA_IN_DELETION: {
    code: "FAILED_PRECONDITION",
    http: 409,
    meaning: "The data of the tenant or the user is being deleted: nothing new begins until that has ended.",
  },
  SESSION_BUSY: {
    code: "ABORTED",
    meaning: "Another run holds the session and the policy is `reject`. `details.runId` names it.",
  },
  QUEUE_FULL: { code: "RESOURCE_EXHAUSTED", meaning: "The session's queue of runs is full." },
  LEASE_LOST: { code: "ABORTED", meaning: "The run's lease belongs to a newer holder; this write was refused." },
  AGENT_REVISION_DIFFERS: { code: "FAILED_PRECONDITION", meaning: "The run is on another agent revision." },
  AGENT_REVISION_UNAVAILABLE: { code: "FAILED_PRECONDITION", meaning: "No runner has the run's agent revision." },
  RUN_ALREADY_FINISHED: {
    code: "FAILED_PRECONDITION",
    http: 409,
    meaning: "The run has ended; its status can no longer change.",
  },
  IDEMPOTENCY_KEY_REUSED: {
    code: "INVALID_ARGUMENT",
    http: 422,
    meaning:
      "The `Idempotency-Key` was used with another request. Nothing was changed: use a new key for each request.",
  },
  IDEMPOTENCY_KEY_IN_USE: {
    code: "ABORTED",
    meaning: "The first call with this `Idempotency-Key` is still in progress. Repeat this one a little later.",
  },
  RUN_CANCELLED: { code: "CANCELLED", meaning: "The run was cancelled." },
  RUN_TIMED_OUT: { code: "DEADLINE_EXCEEDED", meaning: "The run took longer than its limit and was ended." },
  TASK_REJECTED: {
    code: "FAILED_PRECONDITION",
    meaning:
      "An agent has refused the task. Thrown by agents; clients of the Agent2Agent protocol see a rejected task.",
  },
  RUN_INTERRUPTED: { code: "ABORTED", meaning: "The process that executed the run was lost before the run ended." },
  RUN_ATTEMPTS_EXHAUSTED: {
    code: "INTERNAL",
    meaning:
      "The run lost its runner MAX_RUN_ATTEMPTS times and is not executed again: the run itself may crash its runners.",
  },
  RUN_HANDED_OVER: {
    code: "ABORTED",
    meaning: "The runner handed the run over to another runner. This error is never sent to a client.",
  },
  RUNNER_BUSY: {
    code: "RESOURCE_EXHAUSTED",
    meaning:
      "The limit of active runs is reached. `details.limit` names the setting, `details.retryAfterSeconds` when to try again.",
  },
  RUN_FAILED: { code: "INTERNAL", meaning: "The agent failed. The stored error event has the details." },
  EVENT_TOO_LARGE: {
    code: "INVALID_ARGUMENT",
    http: 413,
    meaning: "An event, or another document, is over the store's limit even without its inline data.",
  },
  LLM_CALL_LIMIT_EXCEEDED: {
    code: "RESOURCE_EXHAUSTED",
    meaning: "The invocation made more model calls than RunConfig.maxLlmCalls allows.",
  },
  RUN_TOO_LARGE: {
    code: "RESOURCE_EXHAUSTED",
    meaning:
      "The run has more events, or longer ones, than RunConfig.maxRunEvents and maxRunCharacters allow. The event beyond the limit is not stored.",
  },
  TRANSFER_LIMIT_EXCEEDED: {
    code: "RESOURCE_EXHAUSTED",
    meaning: "Agents handed the invocation over to each other more often than is allowed.",
  },
  TOKEN_BUDGET_EXCEEDED: {
    code: "RESOURCE_EXHAUSTED",
    meaning: "The invocation used more tokens than RunConfig.maxTotalTokens allows.",
  },
  INVOCATION_NOT_FOUND: {
    code: "NOT_FOUND",
    meaning: "The session has no invocation of that id, or it was rewound already.",
  },
  LIVE_NOT_SUPPORTED: { code: "UNIMPLEMENTED", meaning: "This model, or this kind of agent, has no live connection." },
  TOOL_CALL_INTEGRITY: {
    code: "DATA_LOSS",
    meaning: "A prompt has a call without its response, a response without its call, or two responses to one call.",
  },
  REPLAY_CONFIG: {
    code: "INVALID_ARGUMENT",
    meaning: "The settings of a replayed run are wrong, or its recordings are missing or cannot be read.",
  },
  REPLAY_VERIFICATION: {
    code: "FAILED_PRECONDITION",
    http: 409,
    meaning: "A replayed run differs from its recording; the message says how.",
  },
  MODEL_NOT_FOUND: { code: "INVALID_ARGUMENT", meaning: "No adapter is registered for that model name." },
  MODEL_TOOL_UNSUPPORTED: {
    code: "INVALID_ARGUMENT",
    meaning: "An agent has a tool that runs inside the model, and its model does not have that tool.",
  },
  COMPUTERS_IN_USE: {
    code: "RESOURCE_EXHAUSTED",
    meaning:
      "Other sessions use all browsers of the agent's computer (`maxSessions`). Those unused are closed after a time.",
  },
  MODEL_KEY_MISSING: {
    code: "FAILED_PRECONDITION",
    meaning: "The model needs an API key; the message names the variable to set.",
  },
  PACKAGE_MISSING: {
    code: "FAILED_PRECONDITION",
    meaning: "A model or a store needs an npm package that is not installed; the message names the command.",
  },
  MODEL_AUTH_ERROR: {
    code: "FAILED_PRECONDITION",
    http: 502,
    meaning: "The model's provider refused the credentials.",
  },
  MODEL_RATE_LIMITED: { code: "RESOURCE_EXHAUSTED", meaning: "The model's provider asks to slow down." },
  MODEL_BAD_REQUEST: { code: "INVALID_ARGUMENT", http: 502, meaning: "The model's provider refused the request." },
  MODEL_UNAVAILABLE: { code: "UNAVAILABLE", meaning: "The model's provider failed or cannot be reached." },
  DUPLICATE_NAME: { code: "INVALID_ARGUMENT", meaning: "Two agents, tools or plugins of one tree share a name." },
  AGENT_NOT_FOUND: { code: "NOT_FOUND", meaning: "The agent tree has no agent of that name." },
  AGENT_TEST_NOT_FOUND: { code: "NOT_FOUND", meaning: "The app has no recorded test of that name." },
  CONFIGURATION: {
    code: "INVALID_ARGUMENT",
    meaning: "An agent definition or a setting is invalid; the message says where.",
  },
  FIELD_MISSING: {
    code: "INVALID_ARGUMENT",
    meaning: "A required field or option is missing or empty; the message names it.",
  },
  MESSAGE_CONVERSION: {
    code: "INVALID_ARGUMENT",
    meaning: "A message cannot be converted between the kit's form and the model's.",
  },
  SERVICE_MISSING: {
    code: "FAILED_PRECONDITION",
    meaning: "The feature needs a service (artifacts, memory …) that this runner was built without.",
  },
  CODE_EXECUTOR_UNAVAILABLE: {
    code: "FAILED_PRECONDITION",
    meaning: "The agent's code executor cannot run code on this machine; the message says what is missing.",
  },
  MODEL_ANSWER_TOO_LARGE: {
    code: "FAILED_PRECONDITION",
    http: 502,
    meaning:
      "The model's answer is larger than the server accepts: in bytes, or by RunConfig.maxAnswerCharacters and maxAnswerParts. Nothing of it is stored.",
  },
  MODEL_RETURNED_NO_CONTENT: {
    code: "INTERNAL",
    http: 502,
    meaning:
      "The model ended its answer without text and without a call, and did so again when the request was repeated.",
  },
  OUTPUT_SCHEMA_VIOLATED: {
    code: "INTERNAL",
    http: 502,
    meaning:
      "The model's answer does not fit the agent's output schema, and neither does its second answer, after the model got the first problem. The event holds the answer unchanged.",
  },
  INSTRUCTION_VALUE_MISSING: {
    code: "FAILED_PRECONDITION",
    meaning: "An instruction with strict templates names a state key or file that is not there; the message names it.",
  },
  NOT_IMPLEMENTED: { code: "UNIMPLEMENTED", meaning: "This server does not offer that operation (yet)." },
  EDITOR_OFF: {
    code: "PERMISSION_DENIED",
    meaning:
      "The editor of YAML agents is off on this server (AGENT_EDITOR). It is always off if other machines can reach the server.",
  },
  ...CREDENTIAL_REASONS,
  ...EVALUATION_REASONS,
  ...PLANNER_REASONS,
  ...ACCESS_REASONS,
  ...QUOTA_REASONS,
  ORIGIN_NOT_ALLOWED: {
    code: "PERMISSION_DENIED",
    meaning: "The request comes from a page of another site. Allow it with CORS_ORIGINS.",
  },
  CALLER_NOT_LOCAL: {
    code: "PERMISSION_DENIED",
    meaning:
      "A server without authentication is mounted in a program, and the request comes from another machine. Set AUTH, or ALLOW_UNAUTHENTICATED where the program authenticates callers.",
  },
  HOST_NOT_ALLOWED: {
    code: "PERMISSION_DENIED",
    meaning: "The Host header has a name that is not one of this server's names. Add it to ALLOWED_HOSTS.",
  },
  SERVER_SHUTTING_DOWN: {
    code: "UNAVAILABLE",
    meaning: "The server is shutting down and accepts no new requests. Try again; a server is available again soon.",
  },
  DATA_DIR_IN_USE: { code: "FAILED_PRECONDITION", meaning: "Another server uses this data folder." },
  DATA_DIR_UNWRITABLE: { code: "FAILED_PRECONDITION", meaning: "The data folder cannot be written." },
  CALLBACK_FAILED: {
    code: "INTERNAL",
    meaning: "A callback or plugin of the agent threw an error; the message names it.",
  },
  SERVICE_UNAVAILABLE: {
    code: "UNAVAILABLE",
    meaning: "Another service of the platform cannot be reached; whether it did the work is unknown. Try again.",
  },
  SERVICE_TIMEOUT: {
    code: "DEADLINE_EXCEEDED",
    meaning: "Another service of the platform did not answer in time; whether it did the work is unknown.",
  },
  CALL_CANCELLED: { code: "CANCELLED", meaning: "A call between services was cancelled by its caller." },
  MESSAGE_TOO_LARGE: {
    code: "INVALID_ARGUMENT",
    http: 413,
    meaning: "A message between services is over their limit (4 MiB).",
  },
  CALLER_UNKNOWN: {
    code: "UNAUTHENTICATED",
    http: 502,
    meaning: "A call between services has no valid token or certificate of a service. The operator has to fix it.",
  },
  CALLER_NOT_ALLOWED: {
    code: "PERMISSION_DENIED",
    http: 502,
    meaning: "A call between services comes from a service that may not make it. The operator has to fix it.",
  },
  PRINCIPAL_INVALID: {
    code: "UNAUTHENTICATED",
    http: 502,
    meaning:
      "A call between services has no principal or grant, or one that is not signed with an accepted key or is made for other calls (PRINCIPAL_PUBLIC_KEYS_FILE, GRANT_PUBLIC_KEYS_FILE).",
  },
  PRINCIPAL_EXPIRED: {
    code: "UNAUTHENTICATED",
    http: 502,
    meaning: "The principal or grant of a call between services has expired; the clocks of the services may differ.",
  },
  FOREIGN_OWNER: {
    code: "NOT_FOUND",
    meaning:
      "The call names an object of an app or user other than the call's own. The error does not reveal whether the object exists.",
  },
  ...OUTBOUND_REASONS,
  ...STORE_REASONS,
  ...INBOX_REASONS,
  ...TOOL_REASONS,
} as const satisfies Record<string, ReasonEntry>;

export type ErrorReason = keyof typeof ERROR_REASONS;
