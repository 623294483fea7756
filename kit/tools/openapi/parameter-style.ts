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

/** `name=value` pairs of a query, a form or of cookies, encoded, by the styles of `namedValues`. */
export function pairsOf(parameter: ParameterStyle, value: JsonValue): readonly string[] {
  const encode: Encode = parameter.allowsReserved ? encodeWithReserved : encodePart;
  return namedValues(parameter, value).map(
    ({ name, texts, delimiter }) =>
      `${encodePart(name)}=${texts.map(encode).join(ENCODED.get(delimiter) ?? delimiter)}`,
  );
}

/** The texts of one name; several if they are written behind each other. */
interface NamedValue {
  readonly name: string;
  readonly texts: readonly string[];
  readonly delimiter: string;
}

/** A value under its names, by the styles `form`, `spaceDelimited`, `pipeDelimited` and `deepObject`. */
export function namedValues({ name, style, explode }: ParameterStyle, value: JsonValue): readonly NamedValue[] {
  const one = (key: string, item: JsonValue): NamedValue => ({ name: key, texts: [fieldText(item)], delimiter: "," });
  if (style === "deepObject") return deepValues(name, value).map(([key, item]) => one(key, item));
  if (explode && isJsonObject(value)) return Object.entries(value).map(([key, item]) => one(key, item));
  if (explode && Array.isArray(value)) return value.map((item) => one(name, item));
  const texts = isJsonObject(value)
    ? Object.entries(value).flatMap(([key, item]) => [key, textOf(item)])
    : (Array.isArray(value) ? value : [value]).map(fieldText);
  return [{ name, texts, delimiter: DELIMITERS.get(style) ?? "," }];
}

/** The value of a header, which is not encoded. */
export function headerText({ explode }: ParameterStyle, value: JsonValue): string {
  return joined(value, explode, ",", (text) => text);
}

/** The text of one value; lists and objects inside others are written as JSON. */
export function textOf(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** As `textOf`; a field whose value is null is empty. */
export function fieldText(value: JsonValue): string {
  return value === null ? "" : textOf(value);
}

const DELIMITERS: ReadonlyMap<string, string> = new Map([
  ["spaceDelimited", " "],
  ["pipeDelimited", "|"],
]);
const ENCODED: ReadonlyMap<string, string> = new Map([
  [" ", "%20"],
  ["|", "%7C"],
]);

/**
 * `a[b][c]=1` for members, `a[]=1` for values in a list, and `a[0][b]=1` for objects in a list, as servers with such
 * forms read them: the specification leaves lists open.
 */
function deepValues(prefix: string, value: JsonValue): readonly (readonly [string, JsonValue])[] {
  if (Array.isArray(value)) {
    const isFlat = value.every((item) => typeof item !== "object" || item === null);
    return value.flatMap((item, index) => deepValues(isFlat ? `${prefix}[]` : `${prefix}[${index}]`, item));
  }
  if (!isJsonObject(value)) return [[prefix, value]];
  return Object.entries(value).flatMap(([key, one]) => deepValues(`${prefix}[${key}]`, one));
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
