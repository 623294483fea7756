import { MESSAGE_ID_KEY } from "#kit/a2a/conversion/metadata-keys.ts";
import type { Content, Part } from "#kit/events/content.ts";
import { isJsonObject } from "#kit/platform/json.ts";
import { type Static, Type } from "#kit/schema/shape.ts";
import { RUN_STATUSES, type RunRecord } from "#kit/sessions/run-record.ts";

export const StatusSchema = Type.Enum([...RUN_STATUSES]);

export const RunSchema = Type.Object({
  runId: Type.String(),
  appName: Type.String(),
  userId: Type.String(),
  sessionId: Type.String(),
  invocationId: Type.String(),
  status: StatusSchema,
  policy: Type.String(),
  message: Type.Optional(
    Type.String({ description: "The user's message as text, cut to 1,000 characters; to 200 in lists." }),
  ),
  answeredBy: Type.Optional(
    Type.String({
      description: "The run with the answer to this one. A run with status `awaiting_input` without it still waits.",
    }),
  ),
  attempts: Type.Integer({ description: "How many runners have executed it." }),
  agentRevision: Type.Optional(
    Type.String({ description: "The version of the app's sources that executes the run, if it is known." }),
  ),
  epoch: Type.Integer({ description: "Grows with each runner that begins or recovers a run of the session." }),
  holder: Type.Optional(Type.String({ description: "The runner that has the session's lease." })),
  cancelRequested: Type.Boolean(),
  createdTime: Type.Integer({ description: "Milliseconds since the epoch, as all times of a run." }),
  startedTime: Type.Optional(Type.Integer()),
  finishedTime: Type.Optional(Type.Integer()),
  deadline: Type.Optional(Type.Integer()),
  usage: Type.Optional(
    Type.Unknown({
      description:
        "The token counts that models have reported, added up, and in `models` the same for each model, with the number of its `calls`. Set at the run's end.",
    }),
  ),
  costUsd: Type.Optional(
    Type.Number({
      description:
        "What the run's models have cost, by the server's present prices. Absent without prices, or if a model has none.",
    }),
  ),
  prices: Type.Optional(
    Type.Unknown({
      description: "Of the run's models that have one: the price in USD per million tokens, by model. Absent in lists.",
    }),
  ),
  a2aMessageId: Type.Optional(
    Type.String({
      description:
        "The id of the message of the Agent2Agent protocol that started the run, in the context `sessionId`.",
    }),
  ),
  error: Type.Optional(Type.Object({ code: Type.String(), reason: Type.String(), message: Type.String() })),
});

const MAX_MESSAGE_LENGTH = 1000;
export const MAX_LISTED_MESSAGE_LENGTH = 200;

interface WireRunOptions {
  readonly maxMessageLength?: number;
  /** The cost of the models, where it is shown. */
  readonly costUsd?: number | undefined;
  /** Of its models, where they are shown. */
  readonly prices?: object | undefined;
}

/** The record as clients get it. Of the request it has only the start of its message; the session has the rest. */
export function toWireRun(
  run: RunRecord,
  { maxMessageLength = MAX_MESSAGE_LENGTH, costUsd, prices }: WireRunOptions = {},
): Static<typeof RunSchema> {
  const { runId, session, invocationId, status, policy, attempts, epoch, holder, cancelRequested, createdTime } = run;
  const { startedTime, finishedTime, deadline, usage, error, answeredBy, agentRevision } = run;
  const message = messageText(run.request.newMessage);
  return {
    runId,
    appName: session.appName,
    userId: session.userId,
    sessionId: session.id,
    invocationId,
    status,
    policy,
    attempts,
    agentRevision,
    epoch,
    cancelRequested,
    createdTime,
    message: message !== "" ? cut(message, maxMessageLength) : undefined,
    answeredBy,
    holder,
    startedTime,
    finishedTime,
    deadline,
    usage,
    costUsd,
    prices,
    a2aMessageId: a2aMessageIdOf(run),
    error: error && { code: error.code, reason: error.reason, message: error.message },
  };
}

function a2aMessageIdOf({ request: { customMetadata } }: RunRecord): string | undefined {
  const id = isJsonObject(customMetadata) ? customMetadata[MESSAGE_ID_KEY] : undefined;
  return typeof id === "string" ? id : undefined;
}

/** A message as one text: its text, the answers to calls as JSON, and the types of files. */
export function messageText(message: Content | undefined): string {
  const texts = (message?.parts ?? []).map(partText).filter((text) => text !== "");
  return texts.join("\n");
}

function partText({ text, functionResponse, inlineData, fileData }: Part): string {
  if (text) return text;
  if (functionResponse) return `${functionResponse.name ?? ""}: ${JSON.stringify(functionResponse.response ?? {})}`;
  const file = inlineData ?? fileData;
  return file === undefined ? "" : `[${file.mimeType ?? "file"}]`;
}

/** Never splits a character of two code units. */
function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return `${text.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
