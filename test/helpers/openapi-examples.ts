import type { OutgoingHttpHeaders } from "node:http";
import type { InjectOptions } from "fastify";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import type { Gateway } from "#services/gateway/add-routes.ts";
import { type ApiOperation, objectIn, parametersOf } from "./openapi-operations.ts";

/** Parameters by operation and name: `readRun.runId`. */
export type Values = Map<string, JsonValue>;

/** The request of an operation's examples. `found` has the parameters that links of earlier answers gave. */
export async function exampleRequest(operation: ApiOperation, found: Values): Promise<InjectOptions> {
  const { method, purpose } = operation;
  let url = operation.path;
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  for (const { name, in: place, required, example } of parametersOf(operation)) {
    const value = example ?? found.get(`${purpose}.${String(name)}`);
    if (value === undefined) {
      if (required === true) throw new Error(`${operation.id} has no value for ${String(name)}`);
      continue;
    }
    if (place === "path") url = url.replace(`{${String(name)}}`, encodeURIComponent(String(value)));
    else if (place === "query") query.set(String(name), String(value));
    else headers[String(name)] = String(value);
  }
  const target = query.size > 0 ? `${url}?${query}` : url;
  const [type, media] = Object.entries(objectIn(operation.object, "requestBody", "content"))[0] ?? [];
  // The method is one of a document that the server made.
  const request = { method: method as "GET", url: target, headers };
  if (type === undefined || !isJsonObject(media)) return request;
  if (type !== "multipart/form-data")
    return { ...request, headers: { ...headers, "content-type": type }, payload: JSON.stringify(media["example"]) };
  const form = new FormData();
  const files = objectIn(media, "example")["files"];
  for (const text of Array.isArray(files) ? files : []) form.append("files", new File([String(text)], FORM_FILE));
  const body = new Response(form);
  const formType = body.headers.get("content-type") ?? "";
  return { ...request, headers: { "content-type": formType }, payload: Buffer.from(await body.arrayBuffer()) };
}

/** The name that the description of the upload gives. */
const FORM_FILE = "poet/root_agent.yaml";

export interface Answer {
  readonly status: string;
  readonly type: string;
  readonly text: string;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends the request; of a stream that does not end, only the first frame is read. */
export async function send(gateway: Gateway, request: InjectOptions, isEndless: boolean): Promise<Answer> {
  if (!isEndless) {
    const { statusCode, headers, body } = await gateway.inject(request);
    return toAnswer(statusCode, headers, body);
  }
  const { statusCode, headers, stream } = await once(gateway, request);
  for await (const chunk of stream()) return toAnswer(statusCode, headers, String(chunk));
  throw new Error(`${String(request.url)} ended without a frame`);
}

function toAnswer(status: number, headers: OutgoingHttpHeaders, text: string): Answer {
  const texts = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
  const type = String(headers["content-type"]).split(";", 1)[0] ?? "";
  return { status: String(status), type, text, headers: Object.fromEntries(texts) };
}

function once(gateway: Gateway, request: InjectOptions) {
  return gateway.inject({ ...request, payloadAsStream: true });
}

/** Keeps the values that an answer's links give to other operations. */
export function followLinks({ object }: ApiOperation, { status, text }: Answer, found: Values): void {
  for (const link of Object.values(objectIn(object, "responses", status, "links"))) {
    if (!isJsonObject(link)) continue;
    for (const [name, expression] of Object.entries(objectIn(link, "parameters"))) {
      const keys = String(expression).split("#/")[1]?.split("/") ?? [];
      // A pointer into the answer, of any form.
      const value = keys.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], JSON.parse(text));
      found.set(`${String(link["operationId"])}.${name}`, String(value));
    }
  }
}

/** What is created is read before it is deleted, the last one first. */
export function inOrder(operations: readonly ApiOperation[]): readonly ApiOperation[] {
  const isDelete = ({ method }: ApiOperation) => method === "DELETE";
  return [...operations.filter((one) => !isDelete(one)), ...operations.filter(isDelete).reverse()];
}

export async function readDocument(gateway: Gateway): Promise<JsonObject> {
  return (await gateway.inject("/openapi.json")).json<JsonObject>();
}

/**
 * Examples of operations that find nothing, because nothing of the kind can be made through the API, and of those that a
 * server refuses without API keys, or because nothing waits.
 */
const REFUSED: Readonly<Record<string, string>> = {
  ...{ readEvalResult: "404", readRecordedTest: "404" },
  ...{ createKey: "403", listKeys: "403", revokeKey: "403" },
  ...{ answerInbox: "409", claimInboxEntry: "409" },
  // Without the handshake of a WebSocket.
  runLive: "426",
};

/** The status of the answer to an operation's example. */
export function expectedStatus({ purpose, object }: ApiOperation): string {
  const declared = Object.keys(objectIn(object, "responses"));
  return REFUSED[purpose] ?? declared.find((status) => status.startsWith("2")) ?? "501";
}
