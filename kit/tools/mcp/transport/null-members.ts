import type { Fetch } from "#kit/addresses/bounded-fetch.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";

/** Members that are the application's own data, in which null has a meaning. */
const DATA: ReadonlySet<string> = new Set([
  ...["_meta", "structuredContent", "arguments", "requestState", "data", "experimental", "metadata"],
  ...["inputSchema", "outputSchema", "requestedSchema"],
]);
const MAX_DEPTH = 12;

/**
 * The message without members that are null: servers of many languages write null for what they have not. The SDK's
 * transports refuse the whole message, so this comes before them. Data of the application is left as it is.
 */
export function withoutNullMembers(message: JsonValue): JsonValue {
  if (Array.isArray(message)) return message.map((one) => withoutNullMembers(one));
  if (!isJsonObject(message)) return message;
  const { result, error = null, method } = message;
  const plain = withoutNulls(message, 0);
  return result === null && error === null && method === undefined ? { ...plain, result: {} } : plain;
}

function withoutNulls(value: JsonObject, depth: number): JsonObject {
  if (depth > MAX_DEPTH) return value;
  const kept = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(kept.map(([name, member]) => [name, DATA.has(name) ? member : inside(member, depth + 1)]));
}

function inside(value: JsonValue, depth: number): JsonValue {
  if (Array.isArray(value)) return value.map((item) => inside(item, depth + 1));
  return isJsonObject(value) ? withoutNulls(value, depth) : value;
}

/** A `fetch` for the SDK whose JSON and events have no null members. Events have to come as whole blocks. */
export function fetchWithoutNulls(fetch: Fetch): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const { body, status, statusText, headers, url } = response;
    const type = headers.get("content-type") ?? "";
    if (body === null || !/^\s*(application\/(.+\+)?json|text\/event-stream)/i.test(type)) return response;
    const rewritten = body.pipeThrough(/json/i.test(type) ? wholeText() : eachBlock());
    const plain = new Response(rewritten, { status, statusText, headers });
    // A constructed response has no address, which the SDK compares with the request's.
    return Object.defineProperty(plain, "url", { value: url });
  };
}

function wholeText(): TransformStream<Uint8Array, Uint8Array> {
  const chunks: Uint8Array[] = [];
  return new TransformStream({
    transform: (chunk) => void chunks.push(chunk),
    flush: (controller) => controller.enqueue(withoutNullsIn(Buffer.concat(chunks), rewrittenJson)),
  });
}

function eachBlock(): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    transform: (block, controller) => controller.enqueue(withoutNullsIn(Buffer.from(block), rewrittenEvent)),
  });
}

/** Most messages have no null, and are not parsed here. */
function withoutNullsIn(bytes: Buffer, rewritten: (text: string) => string): Uint8Array {
  return bytes.includes("null") ? Buffer.from(rewritten(bytes.toString("utf8"))) : bytes;
}

function rewrittenJson(text: string): string {
  try {
    return JSON.stringify(withoutNullMembers(JSON.parse(text)));
  } catch {
    // The SDK reports what is no JSON.
    return text;
  }
}

const DATA_LINE = /^data: ?/;

function rewrittenEvent(event: string): string {
  const lines = event.split("\n");
  const data = lines.filter((line) => DATA_LINE.test(line)).map((line) => line.replace(DATA_LINE, ""));
  const json = data.join("\n");
  const plain = rewrittenJson(json);
  if (plain === json) return event;
  return [`data: ${plain}`, ...lines.filter((line) => !DATA_LINE.test(line))].join("\n");
}
