import { toStandardBase64 } from "#kit/events/base64.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { BYTES_TYPE, FORM_TYPE, isBytesType, isJsonType, mediaTypeOf } from "./media-types.ts";
import { headerText, pairsOf, pathText, textOf } from "./parameter-style.ts";
import type { RestBody } from "./rest-body.ts";
import type { RestOperation } from "./rest-operation.ts";
import type { RestParameter } from "./rest-parameter.ts";

export interface RestRequest {
  readonly url: URL;
  readonly headers: Headers;
  readonly query: string[];
  readonly cookies: string[];
  readonly body: string | FormData | Uint8Array<ArrayBuffer> | undefined;
}

/** An argument that cannot be sent; the message is for the model. */
export class UnusableArgument extends Error {}

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
    if (parameter.in === "path") filled = filled.replaceAll(`{${parameter.name}}`, () => segment(parameter, sent));
    else if (parameter.in === "query") query.push(...pairsOf(parameter, sent));
    else if (parameter.in === "cookie") cookies.push(...pairsOf(parameter, sent));
    else headers.set(parameter.name, headerValue(parameter, sent));
  }
  const url = new URL(server);
  url.hash = "";
  url.pathname = `${url.pathname.replace(/\/$/, "")}/${filled.replace(/^\//, "")}`;
  const value = body !== undefined && Object.hasOwn(args, body.argument) ? args[body.argument] : undefined;
  const content = body === undefined || value === undefined ? undefined : contentOf(body, value);
  // The platform adds the boundary to the type of a form of parts.
  if (body !== undefined && content !== undefined && !(content instanceof FormData))
    headers.set("content-type", body.mediaType);
  return { url, headers, query, cookies, body: content };
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

function contentOf(body: RestBody, value: JsonValue): RestRequest["body"] {
  const { mediaType, argument } = body;
  const type = mediaTypeOf(mediaType);
  if (isJsonType(type)) return JSON.stringify(value);
  if (isBytesType(type)) return bytesOf(argument, value);
  if (type.startsWith("text/")) return textOf(value);
  if (!isJsonObject(value)) throw new UnusableArgument(`${argument}: a form is an object of its fields`);
  const fields = Object.entries(value).flatMap(([name, field]): readonly (readonly [string, JsonValue])[] =>
    Array.isArray(field) ? field.map((item) => [name, item] as const) : [[name, field]],
  );
  if (type === FORM_TYPE)
    return new URLSearchParams(fields.map(([name, field]): [string, string] => [name, textOf(field)])).toString();
  const form = new FormData();
  for (const [name, field] of fields) addPart(form, body, { name, field });
  return form;
}

/**
 * A file gets the name of its field. Objects are sent as JSON and other values as text, unless the description names
 * another type.
 */
function addPart(
  form: FormData,
  { argument, files, partTypes }: RestBody,
  { name, field }: { readonly name: string; readonly field: JsonValue },
): void {
  const isFile = files.has(name);
  const usual = isJsonObject(field) ? "application/json" : undefined;
  const type = partTypes.get(name) ?? (isFile ? BYTES_TYPE : usual);
  if (!isFile && type === undefined) {
    form.append(name, textOf(field));
    return;
  }
  const content = isFile ? bytesOf(`${argument}.${name}`, field) : textOf(field);
  form.append(name, new Blob([content], type === undefined ? {} : { type }), isFile ? name : "blob");
}

function bytesOf(argument: string, value: JsonValue): Uint8Array<ArrayBuffer> {
  const base64 = toStandardBase64(textOf(value));
  if (base64 === undefined) throw new UnusableArgument(`${argument}: the bytes should be in base64`);
  return Buffer.from(base64, "base64");
}
