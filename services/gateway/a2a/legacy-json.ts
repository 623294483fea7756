import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { malformed } from "../tasks/task-errors.ts";

/**
 * The JSON of protocol 0.3 over HTTP+JSON is the JSON of its protobuf messages: enumerations have their names, messages have
 * `content`, and no member is called `kind`. The SDK has codecs for it inside its routes for Express only; its handler
 * takes and returns the JSON of 0.3 over JSON-RPC. So this file translates between the two.
 */

/** The body of `message:send`. Python's clients write names as the protobuf file does: `message_id`. */
export function fromLegacyBody(body: unknown): JsonObject {
  if (!isJsonObject(body)) throw malformed("The body should be an object.");
  const message = objectOf(body["message"] ?? body["request"], "message");
  const configuration = body["configuration"];
  return defined({
    message: message && messageFrom(message),
    configuration:
      configuration === undefined ? undefined : configurationFrom(objectOf(configuration, "configuration")),
    metadata: objectOf(body["metadata"], "metadata"),
  });
}

/**
 * The SDK reads these members of JSON-RPC without a check. Throws for a part whose `file` is not an object, and for a push
 * notification configuration of another form.
 */
export function assertLegacyParams({ method, params = {} }: JsonObject): void {
  if (!isJsonObject(params)) return;
  if (method === "tasks/pushNotificationConfig/set") assertPush(params["pushNotificationConfig"], "params.");
  const { message, configuration } = params;
  if (isJsonObject(configuration) && isJsonObject(message))
    assertPush(configuration["pushNotificationConfig"] ?? undefined, "params.configuration.", "optional");
  assertFiles(message);
}

function assertFiles(message: JsonValue | undefined): void {
  const parts = isJsonObject(message) ? message["parts"] : undefined;
  if (!Array.isArray(parts)) return;
  for (const [index, part] of parts.entries())
    if (isJsonObject(part) && part["kind"] === "file" && !isJsonObject(part["file"]))
      throw malformed(`\`message.parts[${index}].file\` should be an object.`);
}

function assertPush(given: JsonValue | undefined, place: string, presence?: "optional"): void {
  if (given === undefined && presence === "optional") return;
  const field = `${place}pushNotificationConfig`;
  if (!isJsonObject(given)) throw malformed(`\`${field}\` should be an object.`);
  if (typeof given["url"] !== "string") throw malformed(`\`${field}.url\` should be a URL.`);
  const authentication = objectOf(given["authentication"], `${field}.authentication`) ?? {};
  const { schemes = [] } = authentication;
  if (!Array.isArray(schemes) || !schemes.every((scheme) => typeof scheme === "string"))
    throw malformed(`\`${field}.authentication.schemes\` should be a list of texts.`);
  for (const name of ["id", "token"])
    if (!isText(given[name])) throw malformed(`\`${field}.${name}\` should be a text.`);
  if (!isText(authentication["credentials"]))
    throw malformed(`\`${field}.authentication.credentials\` should be a text.`);
}

function isText(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || typeof value === "string";
}

/** A push notification configuration. Python's clients send the whole request, others its member `config`. */
export function fromLegacyPush(taskId: string, body: unknown) {
  if (!isJsonObject(body)) throw malformed("The body should be an object.");
  const given = objectOf(body["config"], "config") ?? body;
  const push = objectOf(member(given, "pushNotificationConfig"), "pushNotificationConfig") ?? {};
  const named = String(given["name"] ?? "").split("/")[3];
  const pushNotificationConfig = { ...push, id: push["id"] || member(body, "configId") || named };
  assertPush(defined(pushNotificationConfig), "");
  // It was checked.
  return { taskId, pushNotificationConfig } as unknown as LegacyPush;
}

export interface LegacyPush {
  readonly taskId: string;
  readonly pushNotificationConfig: { readonly id?: string; readonly url: string };
}

export function toLegacyPush({ taskId, pushNotificationConfig }: LegacyPush): JsonObject {
  const name = `tasks/${taskId}/pushNotificationConfigs/${pushNotificationConfig.id ?? taskId}`;
  return { name, pushNotificationConfig: { ...pushNotificationConfig } };
}

/** A task or a message, as the answer to `message:send` and as an update of a stream. */
export function toLegacyUpdate(given: unknown): JsonObject {
  // The SDK writes plain objects.
  const { kind, ...update } = given as JsonObject;
  switch (kind) {
    case "task":
      return { task: toLegacyTask(update) };
    case "message":
      return { msg: messageOf(update) };
    case "status-update":
      return { statusUpdate: { ...finalAtPause(update), status: statusOf(update["status"]) } };
    default:
      return { artifactUpdate: { ...update, artifact: artifactOf(update["artifact"]) } };
  }
}

/**
 * An update of 0.3 is the final one of its stream also where the task waits for its client. The SDK marks only the end of
 * a task; ADK's agents in JavaScript take a call for one that waits only if its update is final.
 */
export function finalAtPause(update: JsonObject): JsonObject {
  const { status } = update;
  const state = isJsonObject(status) ? status["state"] : undefined;
  return state === "input-required" || state === "auth-required" ? { ...update, final: true } : update;
}

export function toLegacyTask(given: unknown): JsonObject {
  const { kind: _, artifacts, history, ...task } = given as JsonObject;
  return defined({
    ...task,
    status: statusOf(task["status"]),
    artifacts: Array.isArray(artifacts) ? artifacts.map(artifactOf) : undefined,
    history: Array.isArray(history) ? history.map(messageOf) : undefined,
  });
}

/** A card differs in its security alone, which the JSON of 1.0 writes as the protobuf messages do. */
export function toLegacyCard(card: JsonObject, { securitySchemes, securityRequirements }: JsonObject): JsonObject {
  return defined({ ...card, securitySchemes, security: securityRequirements });
}

const ROLES: Readonly<Record<string, string>> = { ROLE_USER: "user", ROLE_AGENT: "agent" };

function messageFrom(given: JsonObject): JsonObject {
  const content = given["content"] ?? [];
  if (!Array.isArray(content)) throw malformed("`message.content` should be a list of parts.");
  return defined({
    kind: "message",
    messageId: member(given, "messageId"),
    contextId: member(given, "contextId"),
    taskId: member(given, "taskId"),
    role: ROLES[String(given["role"])] ?? given["role"],
    parts: content.map(partFrom),
    metadata: objectOf(given["metadata"], "message.metadata"),
    extensions: given["extensions"],
  });
}

function partFrom(given: JsonValue, index: number): JsonObject {
  const field = `message.content[${index}]`;
  const part = objectOf(given, field) ?? {};
  const metadata = objectOf(part["metadata"], `${field}.metadata`);
  const { text } = part;
  if (typeof text === "string") return defined({ kind: "text", text, metadata });
  const data = objectOf(part["data"], `${field}.data`)?.["data"];
  if (data !== undefined) return defined({ kind: "data", data: objectOf(data, `${field}.data.data`), metadata });
  const file = objectOf(part["file"], `${field}.file`) ?? {};
  const [bytes, uri] = [member(file, "fileWithBytes"), member(file, "fileWithUri")];
  if (typeof bytes !== "string" && typeof uri !== "string")
    throw malformed(`\`${field}\` should have one of text, file and data.`);
  const content = typeof bytes === "string" ? { bytes } : { uri };
  return defined({
    kind: "file",
    file: defined({ ...content, mimeType: member(file, "mimeType"), name: file["name"] }),
    metadata,
  });
}

/** Members with the value 0, false or "" are not written. */
function configurationFrom(given: JsonObject = {}): JsonObject {
  return defined({
    acceptedOutputModes: member(given, "acceptedOutputModes"),
    historyLength: member(given, "historyLength") || undefined,
    pushNotificationConfig: pushOf(member(given, "pushNotification") ?? member(given, "pushNotificationConfig")),
    blocking: given["blocking"] ?? false,
  });
}

function pushOf(given: JsonValue | undefined): JsonObject | undefined {
  const push = objectOf(given, "configuration.pushNotification");
  if (push !== undefined) assertPush(push, "configuration.");
  return push;
}

function statusOf(given: unknown): JsonObject {
  const { state, message, ...status } = (given ?? {}) as JsonObject;
  const name = String(state).toUpperCase().replaceAll("-", "_");
  return defined({
    ...status,
    state: `TASK_STATE_${name === "CANCELED" ? "CANCELLED" : name}`,
    message: message === undefined ? undefined : messageOf(message),
  });
}

function artifactOf(given: unknown): JsonObject {
  const { parts, ...artifact } = given as JsonObject;
  return { ...artifact, parts: partsOf(parts) };
}

function messageOf(given: unknown): JsonObject {
  const { kind: _, role, parts, ...message } = given as JsonObject;
  return { ...message, role: role === "user" ? "ROLE_USER" : "ROLE_AGENT", content: partsOf(parts) };
}

function partsOf(parts: unknown): JsonObject[] {
  return (parts as JsonObject[]).map(({ kind, text, data, file, metadata }) => {
    if (kind === "text") return defined({ text, metadata });
    if (kind === "data") return defined({ data: { data: data ?? {} }, metadata });
    const { bytes, uri, ...names } = file as JsonObject;
    return defined({ file: defined({ fileWithBytes: bytes, fileWithUri: uri, ...names }), metadata });
  });
}

/** The member, whose name may be written with underscores. */
function member(object: JsonObject, name: string): JsonValue | undefined {
  return object[name] ?? object[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];
}

function objectOf(value: JsonValue | undefined, field: string): JsonObject | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isJsonObject(value)) throw malformed(`\`${field}\` should be an object.`);
  return value;
}

function defined(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  // The entries without a value are left out.
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as JsonObject;
}
