import { isJsonObject, type JsonValue } from "#kit/platform/json.ts";

/** How the value of a parameter is written. */
export interface ParameterStyle {
  readonly name: string;
  readonly style: string;
  readonly explode: boolean;
  /** Reserved characters that no query gives a meaning to stay as they are. */
  readonly allowsReserved: boolean;
}

type Encode = (text: string) => string;

/** A value in the path, by the styles `simple`, `label` and `matrix`. */
export function pathText({ name, style, explode }: ParameterStyle, value: JsonValue): string {
  if (style === "label") return `.${joined(value, explode, explode ? "." : ",", encodePart)}`;
  if (style !== "matrix") return joined(value, explode, ",", encodePart);
  if (explode && Array.isArray(value)) return value.map((item) => `;${name}=${encodePart(textOf(item))}`).join("");
  if (explode && isJsonObject(value)) return `;${joined(value, true, ";", encodePart)}`;
  return `;${name}=${joined(value, false, ",", encodePart)}`;
}

/** `name=value` pairs of a query or of cookies, encoded, by the styles `form`, `spaceDelimited`, `pipeDelimited` and `deepObject`. */
export function pairsOf(parameter: ParameterStyle, value: JsonValue): readonly string[] {
  const { name, style, explode, allowsReserved } = parameter;
  const encode: Encode = allowsReserved ? encodeWithReserved : encodePart;
  const pair = (key: string, one: JsonValue): string => `${encodePart(key)}=${encode(textOf(one))}`;
  if (isJsonObject(value)) {
    if (style === "deepObject") return deepPairs(name, value, encode);
    if (explode) return Object.entries(value).map(([key, one]) => pair(key, one));
  } else if (Array.isArray(value)) {
    if (explode || style === "deepObject") return value.map((item) => pair(name, item));
  } else return [pair(name, value)];
  return [`${encodePart(name)}=${joined(value, false, DELIMITERS.get(style) ?? ",", encode)}`];
}

/** The value of a header, which is not encoded. */
export function headerText({ explode }: ParameterStyle, value: JsonValue): string {
  return joined(value, explode, ",", (text) => text);
}

/** The text of one value; lists and objects inside others are written as JSON. */
export function textOf(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

const DELIMITERS: ReadonlyMap<string, string> = new Map([
  ["spaceDelimited", "%20"],
  ["pipeDelimited", "%7C"],
]);

function deepPairs(prefix: string, value: JsonValue, encode: Encode): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => deepPairs(prefix, item, encode));
  if (!isJsonObject(value)) return [`${encodePart(prefix)}=${encode(textOf(value))}`];
  return Object.entries(value).flatMap(([key, one]) => deepPairs(`${prefix}[${key}]`, one, encode));
}

function joined(value: JsonValue, explode: boolean, separator: string, encode: Encode): string {
  if (Array.isArray(value)) return value.map((item) => encode(textOf(item))).join(separator);
  if (!isJsonObject(value)) return encode(textOf(value));
  return Object.entries(value)
    .map(([key, one]) => `${encode(key)}${explode ? "=" : separator}${encode(textOf(one))}`)
    .join(separator);
}

/** Characters that end or split a query, such as `&`, `#` and `+`, are encoded all the same. */
function encodeWithReserved(text: string): string {
  return encodePart(text).replaceAll(/%(?:3A|2F|3F|40|21|24|27|28|29|2A|2C|3B|3D)/g, (escape) =>
    decodeURIComponent(escape),
  );
}

/** Everything but the characters that RFC 3986 reserves for no purpose. Half of a surrogate pair becomes U+FFFD. */
function encodePart(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
