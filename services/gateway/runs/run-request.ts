import { PlatformError } from "#kit/errors/platform-error.ts";
import { toStandardBase64 } from "#kit/events/base64.ts";
import type { Content } from "#kit/events/content.ts";
import { isBlank } from "#kit/names/identifiers.ts";
import { type Shape, type Static, Type } from "#kit/schema/shape.ts";
import type { RunRequest } from "#kit/sessions/run-record.ts";
import type { StartRunRequest } from "#ports/runs/runner-service.ts";
import { assertStateDelta } from "#ports/sessions/session-limits.ts";
import { sessionLimitsOf } from "#shared/stores/session-limits.ts";
import type { GatewayConfig } from "../config.ts";
import { InvalidRequestError } from "../http/errors.ts";
import { checkClientState } from "../requests/state-keys.ts";
import { ContentSchema } from "../requests/wire-schemas.ts";

const Nullable = <Value>(shape: Shape<Value>) => Type.Optional(Type.Union([shape, Type.Null()]));

/** Clients whose forms have no booleans send texts. */
const BooleanOrText = (description: string) =>
  Type.Custom({ type: "boolean", description }, (value) => {
    if (value === "true") return true;
    if (value === "false") return false;
    return typeof value === "boolean" ? value : undefined;
  });

const onDisconnect = Type.Union([Type.Literal("continue"), Type.Literal("cancel")], {
  description: "What happens to the run if its client disconnects: it continues, unless `cancel` is given.",
});

/** The body of `/run`, `/run_sse` and `/v1/runs`. */
export const AgentRunRequest = Type.Object({
  appName: Nullable(Type.String({ description: "The app to run; the server's default app if absent." })),
  userId: Type.String({ description: "The session's user." }),
  sessionId: Type.String({ description: "An existing session of this user and app." }),
  newMessage: Nullable(ContentSchema),
  streaming: Nullable(BooleanOrText("Stream tokens as partial events.")),
  stateDelta: Nullable(Type.JsonObject({ description: "State to set before the run; null removes a key." })),
  invocationId: Nullable(Type.String({ description: "Resume this invocation." })),
  functionCallEventId: Nullable(Type.String({ description: "The event whose function call the message answers." })),
  customMetadata: Type.Optional(Type.Json({ description: "Kept with the events of the run." })),
  policy: Nullable(
    Type.Union([Type.Literal("enqueue"), Type.Literal("reject"), Type.Literal("interrupt"), Type.Literal("rollback")], {
      description: "What happens if another run of the session is active.",
    }),
  ),
  timeoutMs: Nullable(Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1, description: "Longest run in milliseconds." })),
  onDisconnect: Nullable(onDisconnect),
});

export const RunQuery = Type.Object({ on_disconnect: Type.Optional(onDisconnect) });

export const RunStreamQuery = Type.Object({
  ...RunQuery.properties,
  event_ids: Type.Optional(
    Type.Boolean({ default: false, description: "Give each frame an `id`, from which the run's stream resumes." }),
  ),
});

export type AgentRunRequest = Static<typeof AgentRunRequest>;

export interface RunCall {
  readonly body: AgentRunRequest;
  readonly idempotencyKey: string | undefined;
  /** The caller's API key. */
  readonly keyId: string | undefined;
}

export function toStartRunRequest({ body, idempotencyKey, keyId }: RunCall, config: GatewayConfig): StartRunRequest {
  const appName = body.appName || config.DEFAULT_APP_NAME;
  if (appName === "")
    throw new PlatformError(
      "APP_NAME_MISSING",
      "appName is required: this server has no default app (DEFAULT_APP_NAME).",
    );
  if (isBlank(body.sessionId))
    throw new InvalidRequestError([{ type: "missing", loc: ["body", "sessionId"], msg: "Field required" }]);
  const timeoutMs = shorterTimeout(body.timeoutMs ?? 0, config.RUN_TIMEOUT_MS);
  return {
    session: { appName, userId: body.userId, id: body.sessionId },
    request: { ...toRunRequest(body, config), ...(keyId !== undefined && { keyId }) },
    policy: body.policy || undefined,
    idempotencyKey,
    timeoutMs: timeoutMs > 0 ? timeoutMs : undefined,
  };
}

function toRunRequest(body: AgentRunRequest, config: GatewayConfig): RunRequest {
  const stateDelta = body.stateDelta ?? undefined;
  const newMessage = body.newMessage ?? undefined;
  const { customMetadata } = body;
  checkClientState(stateDelta);
  // A queued run gets its state when it starts; state that can never fit is refused now.
  if (stateDelta !== undefined) assertStateDelta(stateDelta, sessionLimitsOf(config));
  return {
    newMessage: newMessage && withStandardBase64(newMessage),
    stateDelta,
    streaming: body.streaming === true ? true : undefined,
    invocationId: body.invocationId || undefined,
    functionCallEventId: body.functionCallEventId || undefined,
    customMetadata,
    autoCreateSession: config.AUTO_CREATE_SESSION ? true : undefined,
  };
}

function withStandardBase64(content: Content): Content {
  if (content.parts?.every(({ inlineData }) => inlineData?.data === undefined) ?? true) return content;
  const parts = content.parts?.map((part, index) => {
    const given = part.inlineData?.data;
    if (given === undefined) return part;
    const data = toStandardBase64(given);
    if (data !== undefined) return data === given ? part : { ...part, inlineData: { ...part.inlineData, data } };
    const loc = ["body", "newMessage", "parts", index, "inlineData", "data"];
    throw new InvalidRequestError([{ type: "bytes_invalid_encoding", loc, msg: "Data should be valid base64" }]);
  });
  return parts === undefined ? content : { ...content, parts };
}

/** 0 means no limit. */
function shorterTimeout(asked: number, limit: number): number {
  if (asked === 0 || limit === 0) return asked + limit;
  return Math.min(asked, limit);
}
