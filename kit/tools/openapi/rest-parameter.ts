import { freeName } from "#kit/models/wire/schemas/free-name.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { FORM_TYPE, isJsonType, mediaTypeOf } from "./media-types.ts";
import type { OpenApiDocument } from "./open-api-document.ts";
import { type ParameterStyle, pairsOf, textOf } from "./parameter-style.ts";
import { UnusableOperation } from "./unusable-operation.ts";

/** The styles of the specification, by the place of the parameter; the first is the usual one. */
const STYLES = {
  path: ["simple", "label", "matrix"],
  query: ["form", "spaceDelimited", "pipeDelimited", "deepObject"],
  // The whole query of OpenAPI 3.2.
  querystring: ["form"],
  header: ["simple"],
  cookie: ["form", "cookie"],
} as const;

/** Headers that the request itself decides; OpenAPI ignores the first three. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  ...["accept", "content-type", "authorization", "host", "cookie", "content-length", "transfer-encoding", "connection"],
  ...["expect", "upgrade", "te", "trailer", "keep-alive", "proxy-authorization"],
]);
const MAX_PARAMETERS = 500;
const MAX_NAME_CHARACTERS = 200;
const ARGUMENT = /^[A-Za-z_][\w.-]{0,63}$/;
const MAX_DESCRIPTION_CHARACTERS = 2000;

export interface RestParameter extends ParameterStyle {
  /** The argument of the tool. */
  readonly argument: string;
  readonly in: keyof typeof STYLES;
  readonly required: boolean;
  readonly schema: JsonValue;
  readonly description: string | undefined;
  /** The value is written as JSON. */
  readonly isJson: boolean;
}

/**
 * The parameters of an operation, which replace those of its path with the same name and place. Throws
 * `UnusableOperation`.
 */
export function parametersOf(
  document: OpenApiDocument,
  lists: readonly (JsonValue | undefined)[],
): readonly RestParameter[] {
  const found = new Map<string, JsonObject>();
  for (const list of lists)
    for (const one of Array.isArray(list) ? list : []) {
      const parameter = document.resolve(one);
      found.set(`${parameter["in"]} ${parameter["name"]}`, parameter);
    }
  if (found.size > MAX_PARAMETERS) throw new UnusableOperation(`it has more than ${MAX_PARAMETERS} parameters`);
  const taken = new Set<string>();
  return [...found.values()].flatMap((parameter) => parameterOf(parameter, taken));
}

/** An argument's name, as all models accept it. Equal names in several places are told apart by the place. */
export function argumentName(name: string, place: string, used: Set<string>): string {
  const isUsed = (other: string): boolean => used.has(other);
  const free = freeName(isUsed(name) ? `${name}_${place}` : name, ARGUMENT, isUsed);
  used.add(free);
  return free;
}

/** The first of the values that is a text with something in it. */
export function firstText(...texts: readonly (JsonValue | undefined)[]): string | undefined {
  const found = texts.find((text) => typeof text === "string" && text.trim() !== "");
  return typeof found === "string" ? found.slice(0, MAX_DESCRIPTION_CHARACTERS).toWellFormed() : undefined;
}

function parameterOf(parameter: JsonObject, taken: Set<string>): readonly RestParameter[] {
  const { name, in: place, explode, required, allowReserved } = parameter;
  if (typeof name !== "string" || name === "") throw new UnusableOperation("a parameter has no name");
  if (name.length > MAX_NAME_CHARACTERS)
    throw new UnusableOperation(`the name of a parameter is longer than ${MAX_NAME_CHARACTERS} characters`);
  const quoted = JSON.stringify(name);
  if (!isPlace(place))
    throw new UnusableOperation(
      `the parameter ${quoted} has no place: "in" must be path, query, querystring, header or cookie`,
    );
  if (place === "header" && OWN_HEADERS.has(name.toLowerCase())) return [];
  if ((place === "header" || place === "cookie") && !isToken(name))
    throw new UnusableOperation(`the parameter ${quoted} cannot be the name of a ${place}`);
  const style = styleOf(parameter, place);
  return [
    {
      name,
      in: place,
      style,
      argument: argumentName(name, place, taken),
      explode: typeof explode === "boolean" ? explode : style === "form" || style === "cookie",
      allowsReserved: place === "query" && allowReserved === true,
      required: place === "path" || required === true,
      ...contentOf(parameter, quoted),
      description: firstText(parameter["description"]),
    },
  ];
}

function isPlace(place: JsonValue | undefined): place is keyof typeof STYLES {
  return typeof place === "string" && Object.hasOwn(STYLES, place);
}

function styleOf({ name, style = "" }: JsonObject, place: keyof typeof STYLES): string {
  const allowed: readonly string[] = STYLES[place];
  const [usual = ""] = allowed;
  if (style === "") return usual;
  if (typeof style === "string" && allowed.includes(style)) return style;
  const choices = allowed.join(", ");
  const given = JSON.stringify(style).slice(0, MAX_NAME_CHARACTERS);
  throw new UnusableOperation(
    `the parameter ${JSON.stringify(name)} has the style ${given}, and a ${place} has ${choices}`,
  );
}

/** A parameter has a schema, or the content of one media type; of several, JSON is taken. */
function contentOf({ schema, content }: JsonObject, quoted: string): Pick<RestParameter, "schema" | "isJson"> {
  if (content === undefined) return { schema: schema ?? {}, isJson: false };
  const entries = Object.entries(isJsonObject(content) ? content : {});
  const json = entries.find(([type]) => isJsonType(mediaTypeOf(type)));
  const other = entries.find(([type]) => mediaTypeOf(type) === FORM_TYPE || type.startsWith("text/"));
  const [, media] = json ?? other ?? [];
  if (media === undefined) {
    const types = entries.map(([type]) => type).join(", ");
    throw new UnusableOperation(
      `the parameter ${quoted} has the media type ${types.slice(0, 100)}, and only JSON, forms and text are sent`,
    );
  }
  return { schema: (isJsonObject(media) ? media["schema"] : undefined) ?? {}, isJson: json !== undefined };
}

/** The whole query: JSON, the members of an object as a form has them, or a text as it is. */
export function queryText(parameter: RestParameter, value: JsonValue): string {
  if (parameter.isJson) return encodeURIComponent(JSON.stringify(value));
  if (!isJsonObject(value)) return textOf(value).replace(/^\?/, "").replaceAll("#", "%23");
  return Object.entries(value)
    .flatMap(([name, one]) => pairsOf({ ...parameter, name, style: "form", explode: true }, one))
    .join("&");
}

function isToken(name: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name);
}
