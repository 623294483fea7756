import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import type { Refusal } from "./dialect.ts";

type Check = (body: JsonObject) => Refusal | undefined;

const MISTRAL_ID = /^[A-Za-z0-9]{9}$/;
/** Members of messages that strict servers know. */
const MEMBERS: ReadonlySet<string> = new Set(["role", "content", "name", "tool_calls", "tool_call_id"]);

/** What all servers of the protocol refuse. */
export const protocolRefusal: Check = (body) => {
  const messages = messagesOf(body);
  if (messages.length === 0) return refusal(400, "messages must not be empty");
  for (const [index, { role, content, tool_calls, tool_call_id }] of messages.entries()) {
    if (role !== "assistant" && !isSaid(content)) return refusal(400, `messages.${index}: content is empty`);
    if (role === "assistant" && !isSaid(content) && tool_calls === undefined)
      return refusal(400, `messages.${index}: an assistant message has content or tool calls`);
    if (role === "tool" && !callsBefore(messages, index).has(String(tool_call_id)))
      return refusal(400, `messages.${index}: a tool message must follow the call ${String(tool_call_id)}`);
  }
  if (messages.at(-1)?.["role"] === "assistant") return refusal(400, "the last message must not be the assistant's");
  return undefined;
};

export const refusals = {
  openAi: (body) => {
    if (body["max_tokens"] !== undefined)
      return refusal(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.");
    return undefined;
  },
  mistral: (body) => {
    if (body["max_completion_tokens"] !== undefined)
      return refusal(422, "max_completion_tokens: Extra inputs are not permitted");
    const ids = messagesOf(body).flatMap((message) => callsOf(message).map((call) => String(call["id"])));
    const bad = ids.find((id) => !MISTRAL_ID.test(id));
    if (bad !== undefined)
      return refusal(400, `Tool call id was ${bad} but must be a-z, A-Z, 0-9, with a length of 9.`);
    return unknownMember(body, 422);
  },
  knownMembers: (body) => unknownMember(body, 400),
  /** DeepSeek and Kimi in thinking mode. */
  wantsReasoning: (body) => {
    const index = messagesOf(body).findIndex(
      (message) => callsOf(message).length > 0 && typeof message["reasoning_content"] !== "string",
    );
    return index === -1
      ? undefined
      : refusal(400, `Missing reasoning_content field in the assistant message at message index ${index}`);
  },
} satisfies Record<string, Check>;

function unknownMember(body: JsonObject, status: number): Refusal | undefined {
  for (const [index, message] of messagesOf(body).entries()) {
    const member = Object.keys(message).find((key) => !MEMBERS.has(key));
    if (member !== undefined) return refusal(status, `messages.${index}: property '${member}' is unsupported`);
  }
  return undefined;
}

function messagesOf(body: JsonObject): readonly JsonObject[] {
  return listOf(body["messages"]);
}

function callsOf(message: JsonObject): readonly JsonObject[] {
  return listOf(message["tool_calls"]);
}

function listOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function isSaid(content: JsonValue | undefined): boolean {
  return Array.isArray(content) ? content.length > 0 : typeof content === "string" && content !== "";
}

/** Ids of the calls that a tool message at this place answers. */
function callsBefore(messages: readonly JsonObject[], index: number): ReadonlySet<string> {
  const caller = messages.slice(0, index).findLast(({ role }) => role !== "tool");
  return new Set(caller === undefined ? [] : callsOf(caller).map(({ id }) => String(id)));
}

function refusal(status: number, message: string): Refusal {
  return { status, message };
}
