import type { Fetch } from "#kit/outbound-http/bounded-fetch.ts";
import { isJsonObject } from "#kit/platform/json.ts";
import { type AnsweredRequest, plainMessage } from "./plain-message.ts";

const JSON_TYPE = /^\s*application\/(.+\+)?json/i;
const EVENTS_TYPE = /^\s*text\/event-stream/i;
const TEXT_TYPE = /^\s*(text\/plain|$)/i;

/** A `fetch` for the SDK that passes on messages in the form of JSON-RPC. Events have to come as whole blocks. */
export function plainFetch(fetch: Fetch): Fetch {
  return async (input, init) => {
    const request = requestIn(init?.body);
    const response = request === undefined ? await fetch(input, init) : await withType(await fetch(input, init));
    const { body, status, statusText, headers, url } = response;
    const type = headers.get("content-type") ?? "";
    if (body === null || !(JSON_TYPE.test(type) || EVENTS_TYPE.test(type))) return response;
    const rewritten = body.pipeThrough(EVENTS_TYPE.test(type) ? eachEvent(request) : wholeText(request));
    const plain = new Response(rewritten, { status, statusText, headers });
    // A constructed response has no address, which the SDK compares with the request's.
    return Object.defineProperty(plain, "url", { value: url });
  };
}

/** Some servers name no type for their JSON, or that of texts. */
async function withType(response: Response): Promise<Response> {
  const { ok, body, status, statusText, url } = response;
  const headers = new Headers(response.headers);
  if (!ok || body === null || !TEXT_TYPE.test(headers.get("content-type") ?? "")) return response;
  const text = await response.text();
  if (/^\s*[[{]/.test(text)) headers.set("content-type", "application/json");
  return Object.defineProperty(new Response(text, { status, statusText, headers }), "url", { value: url });
}

function requestIn(body: RequestInit["body"]): AnsweredRequest | undefined {
  if (typeof body !== "string" || !body.startsWith("{")) return undefined;
  try {
    const { jsonrpc, id, method } = JSON.parse(body);
    return jsonrpc === undefined || id === undefined ? undefined : { id, method };
  } catch {
    // The body of a sign-in.
    return undefined;
  }
}

function wholeText(request: AnsweredRequest | undefined): TransformStream<Uint8Array, Uint8Array> {
  const chunks: Uint8Array[] = [];
  return new TransformStream({
    transform: (chunk) => void chunks.push(chunk),
    flush: (controller) => controller.enqueue(Buffer.from(plainJson(Buffer.concat(chunks).toString("utf8"), request))),
  });
}

function eachEvent(request: AnsweredRequest | undefined): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    transform: (block, controller) =>
      controller.enqueue(Buffer.from(plainEvent(Buffer.from(block).toString("utf8"), request))),
  });
}

function plainJson(text: string, request: AnsweredRequest | undefined): string {
  const value = plainValue(text, request);
  // The SDK reports what is not JSON.
  return value === undefined ? text : JSON.stringify(value);
}

/** The message or list of messages; undefined for a text that is neither. */
function plainValue(text: string, request: AnsweredRequest | undefined): unknown {
  try {
    const value: unknown = JSON.parse(text.trim());
    return isJsonObject(value) || Array.isArray(value) ? plainMessage(value, request) : undefined;
  } catch {
    return undefined;
  }
}

const DATA_LINE = /^data: ?/;

/** The SDK takes lists of messages in JSON alone, so that each is an event of its own. */
function plainEvent(event: string, request: AnsweredRequest | undefined): string {
  const lines = event.split("\n");
  const data = lines.filter((line) => DATA_LINE.test(line)).map((line) => line.replace(DATA_LINE, ""));
  const value = plainValue(data.join("\n"), request);
  if (value === undefined) return event;
  const others = lines.filter((line) => line !== "" && !DATA_LINE.test(line));
  const messages = [value].flat().map((one) => JSON.stringify(one));
  return messages.map((message) => [...others, `data: ${message}`, "", ""].join("\n")).join("");
}
