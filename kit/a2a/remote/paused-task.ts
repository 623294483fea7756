import { createHash } from "node:crypto";
import type { Message } from "@a2a-js/sdk";
import type { EventMembers } from "#kit/a2a/conversion/event-metadata.ts";
import { toA2aPart } from "#kit/a2a/conversion/part-converter.ts";
import { ROLE } from "#kit/a2a/conversion/protocol.ts";
import { credentialScopeOf } from "#kit/core/context/credential-scope.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import type { AuthCredential } from "#kit/credentials/auth-credential.ts";
import { answerKeyOf } from "#kit/credentials/credential-key.ts";
import { type Content, type FunctionResponse, type Part, textOf } from "#kit/events/content.ts";
import { type Event, functionCalls, functionResponses } from "#kit/events/event.ts";
import { CALL_ID_PREFIX, CREDENTIAL_CALL, INPUT_CALL } from "#kit/events/reserved-calls.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import { reasonOf, requestPart } from "./own-request.ts";
import type { Conversation } from "./unseen-message.ts";

/** Marks a question that the remote has asked in words, without a call. */
const IN_WORDS = "isRemoteQuestion";

/** A task that waits. `authConfig`: the request for a credential, if the agent has a scheme for one. */
interface PausedTask {
  readonly members: EventMembers;
  readonly ids: IdGenerator;
  readonly authConfig: JsonObject | undefined;
}

/**
 * The event of a task that waits: its calls wait for the user, as the calls of this app's own tools do. A remote that
 * asks in words becomes a call of the framework, which clients show as a question, or as a request for the credential that
 * the remote's scheme takes.
 */
export function pauseQuestion({ members, ids, authConfig }: PausedTask): EventMembers {
  const { content, longRunningToolIds = [], ...others } = members;
  if (longRunningToolIds.length > 0) return members;
  const calls = functionCalls(members).flatMap(({ id }) => id ?? []);
  if (calls.length > 0) return { ...members, longRunningToolIds: calls };
  const { id, part } = authConfig === undefined ? wordsPart(content, ids) : requestPart(authConfig, ids);
  return { ...others, content: { role: "model", parts: [...(content?.parts ?? []), part] }, longRunningToolIds: [id] };
}

function wordsPart(content: Content | undefined, ids: IdGenerator): { readonly id: string; readonly part: Part } {
  const id = CALL_ID_PREFIX + ids.next();
  const message = textOf(content) || "The remote agent needs more to continue.";
  return { id, part: { functionCall: { id, name: INPUT_CALL, args: { message, [IN_WORDS]: true } } } };
}

/** The user's answers as a message to the waiting task. */
export interface Reply {
  readonly message: Message;
  /** Names of the credentials that are deleted when the remote has the message. */
  readonly answerKeys: readonly string[];
}

/**
 * The user's answers as a message to the waiting task; undefined if the event answers none of the agent's calls. An
 * answer to a question in words is text, or data. The credential for a request of the remote itself is in the store of
 * credentials, because events have none.
 */
export async function replyTo(
  context: InvocationContext,
  event: Event,
  place: Conversation,
): Promise<Reply | undefined> {
  const asked = openCalls(context);
  const parts: Part[] = [];
  const answerKeys: string[] = [];
  for (const response of functionResponses(event)) {
    const { id = "" } = response;
    const call = asked.get(id);
    if (call === undefined) continue;
    const credential = call.kind === "credential" ? await givenCredential(context, id) : undefined;
    if (credential !== undefined) answerKeys.push(answerKeyOf(id));
    parts.push(replyPart(response, call, credential));
  }
  if (parts.length === 0) return undefined;
  const digest = createHash("sha256").update(JSON.stringify([context.invocationId, event.id]));
  const message = {
    ...{ messageId: `adk-${digest.digest("hex").slice(0, 32)}`, ...place, role: ROLE.USER },
    parts: parts.map((part) => toA2aPart(part)).filter((part) => part !== undefined),
    ...{ metadata: undefined, extensions: [], referenceTaskIds: [] },
  };
  return { message, answerKeys };
}

/** Deletes the credentials that the remote has got. */
export async function forgetAnswers(context: InvocationContext, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  const { owner, service } = ownScope(context);
  for (const key of keys) await service.deleteCredential(owner, key);
}

type OpenCall =
  /** `config`: the request of the remote itself, whose answer the remote gets. */
  | { readonly kind: "credential"; readonly config: JsonObject }
  /** `own`: the agent's own request, for the credential of its calls. */
  | { readonly kind: "call" | "words" | "own" };

/** The agent's calls that wait. */
function openCalls({ session, agent, branch }: InvocationContext): ReadonlyMap<string, OpenCall> {
  const calls = new Map<string, OpenCall>();
  for (const event of session.events) {
    if (event.author !== agent.name || event.branch !== branch || event.outside === true) continue;
    for (const { id = "", name, args = {} } of functionCalls(event)) {
      if (event.longRunningToolIds?.includes(id) !== true) continue;
      const { authConfig } = args;
      if (reasonOf(event) !== undefined) calls.set(id, { kind: "own" });
      else if (name === CREDENTIAL_CALL && isJsonObject(authConfig))
        calls.set(id, { kind: "credential", config: authConfig });
      else calls.set(id, { kind: args[IN_WORDS] === true ? "words" : "call" });
    }
  }
  return calls;
}

async function givenCredential(context: InvocationContext, id: string): Promise<AuthCredential | undefined> {
  const { owner, service } = ownScope(context);
  return (await service.loadCredential(owner, answerKeyOf(id)))?.credential;
}

function ownScope(context: InvocationContext) {
  return credentialScopeOf(context, { signal: context.signal, answer: undefined });
}

function replyPart(response: FunctionResponse, call: OpenCall, credential: AuthCredential | undefined): Part {
  if (call.kind === "own") return { text: "The user has signed in." };
  if (call.kind === "words") return answerInWords(response);
  if (call.kind !== "credential" || credential === undefined) return { functionResponse: response };
  return { functionResponse: { ...response, response: withCredential(call.config, credential) } };
}

/** The remote's config with what the user has given, as ADK's clients answer. */
function withCredential(config: JsonObject, credential: AuthCredential): JsonObject {
  const { exchangedAuthCredential: asked } = config;
  const known = isJsonObject(asked) ? asked : {};
  // A credential is JSON data. Members that are undefined count as absent.
  const given: JsonObject = JSON.parse(JSON.stringify(credential));
  const oauth2 = isJsonObject(given["oauth2"]) ? { ...objectIn(known, "oauth2"), ...given["oauth2"] } : undefined;
  return { ...config, exchangedAuthCredential: { ...known, ...given, ...(oauth2 && { oauth2 }) } };
}

function objectIn(value: JsonObject, name: string): JsonObject {
  const member = value[name];
  return isJsonObject(member) ? member : {};
}

function answerInWords({ response = {} }: FunctionResponse): Part {
  const values = Object.values(response);
  const [value] = values;
  if (values.length === 1 && typeof value === "string") return { text: value };
  return { text: JSON.stringify(isJsonObject(response) ? response : {}) };
}
