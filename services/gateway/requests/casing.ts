import { isJsonObject } from "#kit/platform/json.ts";
import { removeUnknownMembers } from "./part-members.ts";

/**
 * Clients of the Python server write `session_id`, all others `sessionId`. Known fields are brought to camelCase in
 * place; what belongs to applications (state, arguments, responses, metadata, payloads) is never looked into. Members of parts that the
 * protocol does not have are removed.
 */
export function normaliseRequest(body: unknown): void {
  if (!isJsonObject(body)) return;
  const request = renameKeys(body, REQUEST_FIELDS);
  normaliseContent(request["newMessage"]);
  // Events of an imported session.
  const { events } = request;
  if (Array.isArray(events)) for (const event of events) normaliseEvent(event);
}

export function normaliseContent(content: unknown): void {
  if (!isJsonObject(content) || !Array.isArray(content["parts"])) return;
  for (const part of content["parts"]) {
    if (!isJsonObject(part)) continue;
    const members = renameKeys(part, PART_FIELDS);
    for (const name of MEMBERS_WITH_FIELDS) if (isJsonObject(members[name])) renameKeys(members[name], MEMBER_FIELDS);
    removeUnknownMembers(members);
  }
}

function normaliseEvent(raw: unknown): void {
  if (!isJsonObject(raw)) return;
  const event = renameKeys(raw, EVENT_FIELDS);
  normaliseContent(event["content"]);
  if (isJsonObject(event["actions"])) renameKeys(event["actions"], ACTION_FIELDS);
}

/** In place; a camelCase key that is there already wins. */
function renameKeys(object: object, names: ReadonlySet<string>): Record<string, unknown> {
  // A parsed JSON object that nobody else holds yet.
  const target = object as Record<string, unknown>;
  for (const key in target) {
    if (!key.includes("_", 1)) continue;
    const camel = key.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
    if (!names.has(camel)) continue;
    if (!Object.hasOwn(target, camel)) target[camel] = target[key];
    delete target[key];
  }
  return target;
}

const REQUEST_FIELDS = new Set([
  ...["appName", "userId", "sessionId", "newMessage", "stateDelta", "functionCallEventId", "invocationId"],
  ...["customMetadata", "onDisconnect", "timeoutMs", "idempotencyKey"],
]);

const EVENT_FIELDS = new Set([
  ...["invocationId", "turnComplete", "longRunningToolIds", "errorCode", "errorMessage", "finishReason"],
  ...["usageMetadata", "groundingMetadata", "citationMetadata", "avgLogprobs", "customMetadata", "modelVersion"],
  ...["inputTranscription", "outputTranscription", "nodeInfo"],
]);

const ACTION_FIELDS = new Set([
  ...["stateDelta", "artifactDelta", "requestedAuthConfigs", "requestedToolConfirmations", "transferToAgent"],
  ...["skipSummarization", "endOfAgent", "agentState", "deletedArtifactIds", "rewindBeforeInvocationId"],
]);

const PART_FIELDS = new Set([
  ...["inlineData", "fileData", "functionCall", "functionResponse", "executableCode", "codeExecutionResult"],
  ...["thoughtSignature", "videoMetadata", "mediaResolution", "toolCall", "toolResponse", "partMetadata"],
  ...["audioTranscription", "mediaProcessing", "speechMetadata"],
]);

const MEMBERS_WITH_FIELDS = [
  "inlineData",
  "fileData",
  "functionCall",
  "functionResponse",
  "videoMetadata",
  "toolCall",
  "toolResponse",
] as const;

const MEMBER_FIELDS = new Set([
  ...["mimeType", "displayName", "fileUri", "partialArgs", "willContinue", "startOffset", "endOffset", "toolType"],
]);
