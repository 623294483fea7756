import { hash } from "node:crypto";
import { type Message, Role, type SendMessageRequest } from "@a2a-js/sdk";
import {
  ContentTypeNotSupportedError,
  PushNotificationNotSupportedError,
  UnsupportedOperationError,
} from "@a2a-js/sdk/errors";
import type { FastifyReply, FastifyRequest } from "fastify";
import { USER_PREFIX } from "#kit/a2a/conversion/metadata-keys.ts";
import { dataOf, fromA2aPart } from "#kit/a2a/conversion/part-converter.ts";
import type { Content, Part } from "#kit/events/content.ts";
import { CONFIRMATION_CALL, CREDENTIAL_CALL } from "#kit/events/reserved-calls.ts";
import { isIdentifier } from "#kit/names/identifiers.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { RouteDeps } from "../deps.ts";
import { callerOf } from "../identity/authenticator.ts";
import { startFollowedRun } from "../runs/start-run.ts";
import { readWaitingCalls, type WaitingCall } from "../runs/waiting-calls.ts";
import { findTask, nextRun } from "./find-task.ts";
import type { UpdateSink } from "./follow-task.ts";
import { METADATA } from "./protocol.ts";
import { malformed } from "./task-errors.ts";
import type { TaskPushes } from "./task-pushes.ts";
import { ANSWER } from "./task-updates.ts";

export interface A2aCall {
  readonly appName: string;
  /** The media types that the app takes. */
  readonly inputModes: readonly string[];
  /** Absent if push notifications are off. */
  readonly pushes?: TaskPushes | undefined;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Takes what follows the first update of a stream, if the binding writes updates itself. */
  readonly sink?: UpdateSink | undefined;
}

/** The run of a message, and the first run of its task. */
export interface StartedTask {
  readonly first: RunRecord;
  readonly run: RunRecord;
}

const MAX_PARTS = 1000;
/** A message that is sent again so often has an id that is none. */
const MAX_REPEATS = 100;

/** Starts the task of a message, or the run that continues a waiting task. */
export async function startTask(
  deps: RouteDeps,
  call: A2aCall,
  { message, configuration, metadata }: SendMessageRequest,
  streaming: boolean,
): Promise<StartedTask> {
  if (message === undefined) throw malformed("`message` is missing.");
  const given = configuration?.taskPushNotificationConfig;
  if (given !== undefined && call.pushes === undefined) throw new PushNotificationNotSupportedError();
  const target = given && call.pushes?.read(given, "configuration.taskPushNotificationConfig.");
  const parts = partsOf(message, call);
  const members: JsonObject = { ...metadata, ...message.metadata };
  const customMetadata = {
    [METADATA.messageId]: message.messageId,
    ...(Object.keys(members).length === 0 ? {} : { [METADATA.given]: members }),
  };
  const sent = { message, parts, customMetadata, streaming };
  const started = await (message.taskId === "" ? startFirst(deps, call, sent) : continueTask(deps, call, sent));
  // A client whose server is lost before this sends its message again, and it is stored then.
  if (target !== undefined) await call.pushes?.addTo(started.first, started.run, target);
  if (started.first.runId !== started.run.runId) await call.pushes?.goesOn(started.first);
  return started;
}

interface SentMessage {
  readonly message: Message;
  readonly parts: readonly Part[];
  readonly customMetadata: JsonObject;
  readonly streaming: boolean;
}

/**
 * A message that is sent again finds its task. If the task was answered or cancelled meanwhile, its client knew it, so
 * that this does not repeat a lost call: it starts a task of its own.
 */
async function startFirst(deps: RouteDeps, call: A2aCall, sent: SentMessage): Promise<StartedTask> {
  const { appName, request } = call;
  const { contextId, messageId } = sent.message;
  if (contextId !== "" && !isIdentifier(contextId))
    throw malformed("`message.contextId` should be a valid identifier.");
  const { userId: caller } = callerOf(request);
  for (let repeat = 0; repeat < MAX_REPEATS; repeat += 1) {
    const key = keyOf([appName, caller ?? null, contextId, messageId, contentOf(sent), repeat]);
    const id = contextId === "" ? key : contextId;
    const session = { appName, userId: caller ?? USER_PREFIX + id, id };
    const run = await start(deps, call, sent, { session, parts: sent.parts, key });
    if (run.answeredBy === undefined && run.status !== "cancelled") return { first: run, run };
  }
  throw malformed("`message.messageId` was used too often. Give each message an id of its own.");
}

async function continueTask(deps: RouteDeps, call: A2aCall, sent: SentMessage): Promise<StartedTask> {
  const { taskId, contextId, messageId } = sent.message;
  const first = await findTask(deps, call.appName, taskId);
  const { session } = first;
  if (contextId !== "" && contextId !== session.id)
    throw malformed("`message.contextId` is the id of another context than the task's.");
  let run = first;
  const keyAfter = ({ runId }: RunRecord) => keyOf([runId, messageId, contentOf(sent)]);
  for (let next = await nextRun(deps, run); next !== undefined; next = await nextRun(deps, run)) {
    if (next.idempotencyKey === keyAfter(run)) return { first, run: next };
    run = next;
  }
  if (run.status !== "awaiting_input")
    throw new UnsupportedOperationError("The task takes no messages now: it does not wait for input.");
  const calls = await readWaitingCalls(deps.sessionService, run);
  const parts = answersOf(sent.parts, calls);
  return { first, run: await start(deps, call, sent, { session, parts, key: keyAfter(run) }) };
}

function keyOf(names: readonly unknown[]): string {
  // Not a digest of sorted members: a client that repeats a message sends the same bytes.
  return `a2a-${hash("sha256", JSON.stringify(names)).slice(0, 40)}`;
}

function contentOf({ parts, customMetadata, streaming }: SentMessage): readonly unknown[] {
  return [parts, customMetadata, streaming];
}

function start(
  deps: RouteDeps,
  { request }: A2aCall,
  { customMetadata, streaming }: SentMessage,
  given: { readonly session: SessionKey; readonly parts: readonly Part[]; readonly key: string },
): Promise<RunRecord> {
  const { keyId } = callerOf(request);
  const { RUN_TIMEOUT_MS } = deps.config;
  const newMessage: Content = { role: "user", parts: given.parts };
  return startFollowedRun(deps, {
    session: given.session,
    request: {
      newMessage,
      customMetadata,
      autoCreateSession: true,
      ...(streaming ? { streaming } : {}),
      ...(keyId === undefined ? {} : { keyId }),
    },
    idempotencyKey: given.key,
    ...(RUN_TIMEOUT_MS > 0 ? { timeoutMs: RUN_TIMEOUT_MS } : {}),
  });
}

function partsOf({ messageId, role, parts }: Message, { inputModes }: A2aCall): readonly Part[] {
  if (!isIdentifier(messageId)) throw malformed("`message.messageId` is missing, or no valid identifier.");
  if (role !== Role.ROLE_USER) throw malformed("`message.role` should be ROLE_USER.");
  if (parts.length === 0 || parts.length > MAX_PARTS)
    throw malformed(`\`message.parts\` should have 1 to ${MAX_PARTS} parts.`);
  return parts.map((part, index) => {
    const type = part.mediaType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
    if (type !== "" && ![type, `${type.split("/", 1)[0]}/*`, "*/*"].some((mode) => inputModes.includes(mode)))
      throw new ContentTypeNotSupportedError(
        `\`message.parts[${index}].mediaType\` is not supported. Supported: ${inputModes.join(", ")}.`,
      );
    const own = fromA2aPart(part);
    if (own === undefined) throw malformed(`\`message.parts[${index}]\` should have one of text, raw, url and data.`);
    return own;
  });
}

/**
 * The message as answers to the calls that the task waits for. Data with the id of a waiting call answers it without a
 * type too: the JSON of some clients of 0.3 has no metadata of parts. A text, or data that names no call, answers the one
 * question that waits; one for a confirmation takes only data with `confirmed`. A question for a credential, and work that
 * has begun and ends elsewhere, take no such answer.
 */
function answersOf(given: readonly Part[], calls: readonly WaitingCall[]): readonly Part[] {
  const parts = given.map((part) => namedAnswer(part, calls) ?? part);
  if (parts.some(({ functionResponse }) => functionResponse !== undefined)) return parts;
  const [call, ...others] = calls;
  const answer = answerOf(parts);
  if (call !== undefined && others.length === 0 && answer !== undefined && takesAny(call, answer))
    return [{ functionResponse: { id: call.id, name: call.name, response: answer } }];
  const names = calls.map(({ id, name }) => `${name} (${id})`).join(", ");
  throw malformed(
    `The task waits for ${names || "nothing"}. Send a data part {"id", "name", "response"} with the metadata {"adk_type": "function_response"} for each call.`,
  );
}

function takesAny({ name, interimResponse }: WaitingCall, answer: JsonObject): boolean {
  if (name === CREDENTIAL_CALL || interimResponse !== undefined) return false;
  return name !== CONFIRMATION_CALL || typeof answer["confirmed"] === "boolean";
}

function namedAnswer({ inlineData = {} }: Part, calls: readonly WaitingCall[]): Part | undefined {
  const data = dataOf(inlineData);
  const { id, response } = isJsonObject(data) ? data : {};
  const call = calls.find((each) => each.id === id);
  if (call === undefined || !isJsonObject(response)) return undefined;
  return { functionResponse: { id: call.id, name: call.name, response } };
}

function answerOf(parts: readonly Part[]): JsonObject | undefined {
  const [part, ...others] = parts;
  const { inlineData = {} } = part ?? {};
  const data = others.length === 0 ? dataOf(inlineData) : undefined;
  if (isJsonObject(data)) return data;
  const text = parts.map((each) => each.text ?? "").join("");
  return text.trim() === "" ? undefined : { [ANSWER]: text };
}
