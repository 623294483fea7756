import type { JsonObject, JsonValue } from "#kit/platform/json.ts";
import { bodyContent } from "./body-content.ts";
import { headerText, pairsOf, pathText } from "./parameter-style.ts";
import type { RestOperation } from "./rest-operation.ts";
import { queryText, type RestParameter } from "./rest-parameter.ts";
import { UnusableArgument } from "./unusable-operation.ts";

export interface RestRequest {
  readonly url: URL;
  readonly headers: Headers;
  readonly query: string[];
  readonly cookies: string[];
  readonly body: string | Uint8Array<ArrayBuffer> | undefined;
}

/** The request of one call, from arguments that fit the schema. Throws `UnusableArgument`. */
export function buildRequest({ path, server, parameters, body }: RestOperation, args: JsonObject): RestRequest {
  // Paths of some descriptions have a query, and a fragment that distinguishes equal addresses.
  const [address = ""] = path.split("#", 1);
  const [route = "", ...embedded] = address.split("?");
  let filled = route;
  const headers = new Headers({ accept: "application/json, text/*;q=0.9, */*;q=0.1" });
  const query: string[] = embedded.length === 0 ? [] : [embedded.join("?")];
  const cookies: string[] = [];
  for (const parameter of parameters) {
    // False, 0 and the empty text are values.
    const value = Object.hasOwn(args, parameter.argument) ? args[parameter.argument] : undefined;
    if (value === undefined) continue;
    const sent = parameter.isJson ? JSON.stringify(value) : value;
    if (parameter.in === "querystring") query.push(queryText(parameter, value));
    else if (parameter.in === "path") filled = filled.replaceAll(`{${parameter.name}}`, () => segment(parameter, sent));
    else if (parameter.in === "query") query.push(...pairsOf(parameter, sent));
    else if (parameter.in === "cookie") cookies.push(...pairsOf(parameter, sent));
    else headers.set(parameter.name, headerValue(parameter, sent));
  }
  const url = new URL(server);
  url.hash = "";
  url.pathname = `${url.pathname.replace(/\/$/, "")}/${filled.replace(/^\//, "")}`;
  const value = body !== undefined && Object.hasOwn(args, body.argument) ? args[body.argument] : undefined;
  const written = body === undefined || value === undefined ? undefined : bodyContent(body, value);
  if (written !== undefined) headers.set("content-type", written.mediaType);
  return { url, headers, query, cookies, body: written?.content };
}

/** A segment that changes which path is meant would call another operation. */
function segment(parameter: RestParameter, value: JsonValue): string {
  const plain = pathText(parameter, value);
  const segments = decodeURIComponent(plain).split(/[/\\]/);
  if (plain === "" || segments.some((part) => part === "." || part === ".."))
    throw new UnusableArgument(`${parameter.argument}: a value of the path may not be empty or have dot segments`);
  return plain;
}

function headerValue(parameter: RestParameter, value: JsonValue): string {
  const text = headerText(parameter, value);
  if (!/^[\x20-\x7e]*$/.test(text))
    throw new UnusableArgument(`${parameter.argument}: a header holds printable ASCII characters only`);
  return text;
}
