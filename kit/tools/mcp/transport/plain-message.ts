import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { present } from "#kit/platform/members.ts";

/** Members that are the application's own data, in which null has a meaning. */
const DATA: ReadonlySet<string> = new Set([
  ...["_meta", "structuredContent", "arguments", "requestState", "data", "experimental", "metadata"],
  ...["inputSchema", "outputSchema", "requestedSchema"],
]);
const MAX_DEPTH = 12;
/** Of JSON-RPC: for errors without a code of the protocol. */
const INTERNAL_ERROR = -32_603;
const LISTS: Readonly<Record<string, string>> = {
  "tools/list": "tools",
  "resources/list": "resources",
  "prompts/list": "prompts",
};

/** The request that a message answers, where the transport knows it. */
export interface AnsweredRequest {
  readonly id: JsonValue;
  readonly method: JsonValue;
}

/**
 * What a server wrote in the form of JSON-RPC, which the SDK's transports check before anything else sees it. Servers
 * of many languages write null for what they have not, which is left out but for data of the application; others write
 * errors as texts, results that are not objects, or answers without the id of their request.
 */
export function plainMessage(value: JsonValue, request?: AnsweredRequest): JsonValue {
  if (Array.isArray(value)) return value.map((one) => plainMessage(one, request));
  if (!isJsonObject(value)) return value;
  const plain = withoutNulls(value, 0);
  const { jsonrpc, id = request?.id, method, params, result, error } = plain;
  if (jsonrpc === undefined && request === undefined) return plain;
  if (method !== undefined)
    return present({ ...plain, jsonrpc: "2.0", params: params === undefined ? undefined : withMeta(params) });
  if (error !== undefined) return present({ jsonrpc: "2.0", id, error: errorOf(error) });
  return present({ jsonrpc: "2.0", id, result: resultOf(result ?? {}, request?.method) });
}

function errorOf(error: JsonValue): JsonObject {
  if (!isJsonObject(error)) return { code: INTERNAL_ERROR, message: textOf(error) };
  const { code, message, ...rest } = error;
  return {
    ...rest,
    code: Number.isInteger(code) ? (code as number) : INTERNAL_ERROR,
    message: typeof message === "string" ? message : textOf(message ?? error),
  };
}

function resultOf(result: JsonValue, method: JsonValue | undefined): JsonValue {
  if (!isJsonObject(result)) return { content: result };
  const list = typeof method === "string" ? LISTS[method] : undefined;
  if (list === undefined) return withMeta(result);
  const entries = result[list] ?? [];
  return { ...withMeta(result), [list]: isJsonObject(entries) ? Object.values(entries) : entries };
}

/** PHP writes an empty list for an object without members. */
function withMeta(value: JsonValue): JsonObject {
  const { _meta, ...rest } = isJsonObject(value) ? value : {};
  return isJsonObject(_meta) ? { ...rest, _meta } : rest;
}

function textOf(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function withoutNulls(value: JsonObject, depth: number): JsonObject {
  if (depth > MAX_DEPTH) return value;
  const kept = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(kept.map(([name, member]) => [name, DATA.has(name) ? member : inside(member, depth + 1)]));
}

function inside(value: JsonValue, depth: number): JsonValue {
  if (Array.isArray(value)) return value.flatMap((item) => (item === null ? [] : [inside(item, depth + 1)]));
  return isJsonObject(value) ? withoutNulls(value, depth) : value;
}
