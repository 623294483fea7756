import type { Static, TSchema } from "typebox";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { toStandardBase64 } from "#kit/events/base64.ts";
import type { Content } from "#kit/events/content.ts";
import { isBlank } from "#kit/platform/identifiers.ts";
import type { JsonObject, JsonValue } from "#kit/platform/json.ts";
import type { StartRunRequest } from "#kit/runs/runner-service.ts";
import type { RunRequest } from "#kit/sessions/run-record.ts";
import { assertStateDelta } from "#kit/sessions/session-limits.ts";
import { Type } from "#shared/config/type.ts";
import { sessionLimitsOf } from "#shared/stores/session-limits.ts";
import type { GatewayConfig } from "../config.ts";
import { InvalidRequestError } from "../http/errors.ts";
import { checkClientState } from "../requests/state-keys.ts";
import { ContentSchema, JsonMap } from "../requests/wire-schemas.ts";

const Nullable = <Schema extends TSchema>(schema: Schema) => Type.Optional(Type.Union([schema, Type.Null()]));

/** The body of `/run`, `/run_sse` and `/v1/runs`. */
export const AgentRunRequest = Type.Object({
  appName: Nullable(Type.String()),
  userId: Type.String(),
  sessionId: Type.String(),
  newMessage: Nullable(ContentSchema),
  streaming: Nullable(Type.Boolean({ description: "Stream tokens as partial events." })),
  stateDelta: Nullable(JsonMap),
  invocationId: Nullable(Type.String({ description: "Go on with this invocation." })),
  functionCallEventId: Nullable(Type.String()),
  customMetadata: Type.Optional(Type.Unknown()),
  policy: Nullable(
    Type.Union([Type.Literal("enqueue"), Type.Literal("reject"), Type.Literal("interrupt"), Type.Literal("rollback")], {
      description: "What happens when another run holds the session.",
    }),
  ),
  timeoutMs: Nullable(Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1, description: "Longest run in milliseconds." })),
  onDisconnect: Nullable(Type.Union([Type.Literal("continue"), Type.Literal("cancel")])),
});

export const RunQuery = Type.Object({
  on_disconnect: Type.Optional(Type.Union([Type.Literal("continue"), Type.Literal("cancel")])),
});

export type AgentRunRequest = Static<typeof AgentRunRequest>;

export interface RunCall {
  readonly body: AgentRunRequest;
  readonly idempotencyKey: string | undefined;
}

export function toStartRunRequest({ body, idempotencyKey }: RunCall, config: GatewayConfig): StartRunRequest {
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
    request: toRunRequest(body, config),
    ...(body.policy && { policy: body.policy }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(timeoutMs > 0 && { timeoutMs }),
  };
}

/** `streaming` comes as a text from clients whose forms know no booleans. */
export function readStreamingText(body: unknown): void {
  // Checked by the schema afterwards; only this one member is looked at.
  const request = body as { streaming?: unknown } | null | undefined;
  if (request?.streaming === "true") request.streaming = true;
  else if (request?.streaming === "false") request.streaming = false;
}

function toRunRequest(body: AgentRunRequest, config: GatewayConfig): RunRequest {
  // A parsed JSON body: maps and metadata hold JSON values, and a content's unknown members are passed on.
  const stateDelta = (body.stateDelta ?? undefined) as JsonObject | undefined;
  const newMessage = (body.newMessage ?? undefined) as Content | undefined;
  const customMetadata = (body.customMetadata ?? undefined) as JsonValue | undefined;
  checkClientState(stateDelta);
  // A run that waits in the queue gets its state when it starts: what can never fit is refused now.
  if (stateDelta !== undefined) assertStateDelta(stateDelta, sessionLimitsOf(config));
  return {
    ...(newMessage !== undefined && { newMessage: withStandardBase64(newMessage) }),
    ...(stateDelta !== undefined && { stateDelta }),
    ...(body.streaming === true && { streaming: true }),
    ...(body.invocationId && { invocationId: body.invocationId }),
    ...(body.functionCallEventId && { functionCallEventId: body.functionCallEventId }),
    ...(customMetadata !== undefined && { customMetadata }),
    ...(config.AUTO_CREATE_SESSION && { autoCreateSession: true }),
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
