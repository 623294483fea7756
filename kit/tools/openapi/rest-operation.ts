import { PlatformError } from "#kit/errors/platform-error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import type { OpenApiDocument } from "./open-api-document.ts";
import { OperationNames } from "./operation-names.ts";
import type { ParameterStyle } from "./parameter-style.ts";
import { serverAddress } from "./server-address.ts";

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"] as const;
const MAX_OPERATIONS = 2000;
/** Headers that the request itself decides; OpenAPI ignores the first three. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  ...["accept", "content-type", "authorization", "host", "cookie", "content-length", "transfer-encoding", "connection"],
  ...["expect", "upgrade", "te", "trailer", "keep-alive", "proxy-authorization"],
]);

export interface RestParameter extends ParameterStyle {
  /** The argument of the tool. */
  readonly argument: string;
  readonly in: "path" | "query" | "header" | "cookie";
  readonly required: boolean;
  readonly schema: JsonValue;
  readonly description: string | undefined;
  /** The value is written as JSON. */
  readonly isJson: boolean;
}

export interface RestBody {
  readonly argument: string;
  readonly mediaType: string;
  readonly required: boolean;
  readonly schema: JsonValue;
}

/** One operation of an OpenAPI description. */
export interface RestOperation {
  readonly name: string;
  readonly description: string;
  readonly method: string;
  readonly path: string;
  /** The address that the path is appended to. */
  readonly server: URL;
  readonly parameters: readonly RestParameter[];
  readonly body: RestBody | undefined;
  /** The operation says that it needs no credential. */
  readonly isPublic: boolean;
  readonly document: OpenApiDocument;
}

/** The operations in the order of the description. Throws `INVALID_FIELD` if it cannot be used. */
export function operationsOf(document: OpenApiDocument, baseUrl: string | undefined): readonly RestOperation[] {
  const names = new OperationNames();
  const operations: RestOperation[] = [];
  const { paths, servers, security } = document.root;
  for (const [path, given] of Object.entries(isJsonObject(paths) ? paths : {})) {
    const item = document.resolve(given);
    for (const method of METHODS) {
      const operation = item[method];
      if (!isJsonObject(operation)) continue;
      if (operations.length === MAX_OPERATIONS)
        throw invalid(`it has more than ${MAX_OPERATIONS} operations. Give a part of it`);
      const { operationId, description, summary } = operation;
      const parameters = parametersOf(document, [item["parameters"], operation["parameters"]]);
      operations.push({
        name: names.take(typeof operationId === "string" ? operationId : `${path}_${method}`),
        description: firstText(description, summary) ?? `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path,
        server: serverAddress(operation["servers"] ?? item["servers"] ?? servers, baseUrl),
        parameters,
        body: bodyOf(document, operation["requestBody"], new Set(parameters.map(({ argument }) => argument))),
        isPublic: isEmptyList(operation["security"] ?? security),
        document,
      });
    }
  }
  return operations;
}

/** Parameters of an operation replace those of its path with the same name and place. */
function parametersOf(document: OpenApiDocument, lists: readonly (JsonValue | undefined)[]): readonly RestParameter[] {
  const found = new Map<string, JsonObject>();
  for (const list of lists)
    for (const one of Array.isArray(list) ? list : []) {
      const parameter = document.resolve(one);
      found.set(`${parameter["in"]} ${parameter["name"]}`, parameter);
    }
  const taken = new Set<string>();
  return [...found.values()].flatMap((parameter) => parameterOf(parameter, taken));
}

function parameterOf(parameter: JsonObject, taken: Set<string>): readonly RestParameter[] {
  const { name, in: place, style: givenStyle, explode, content, required } = parameter;
  if (typeof name !== "string" || name === "") throw invalid("a parameter has no name");
  if (place !== "path" && place !== "query" && place !== "header" && place !== "cookie")
    throw invalid(
      `the parameter ${JSON.stringify(name.slice(0, 100))} has no place: "in" is path, query, header or cookie`,
    );
  if (place === "header" && (OWN_HEADERS.has(name.toLowerCase()) || !isToken(name))) return [];
  if (place === "cookie" && !isToken(name)) return [];
  const usual = place === "path" || place === "header" ? "simple" : "form";
  const style = typeof givenStyle === "string" ? givenStyle : usual;
  const media = isJsonObject(content) ? Object.values(content)[0] : undefined;
  return [
    {
      name,
      in: place,
      style,
      argument: freeName(name, place, taken),
      explode: typeof explode === "boolean" ? explode : style === "form",
      required: place === "path" || required === true,
      schema: (isJsonObject(media) ? media["schema"] : parameter["schema"]) ?? {},
      description: firstText(parameter["description"]),
      isJson: media !== undefined,
    },
  ];
}

function bodyOf(document: OpenApiDocument, given: JsonValue | undefined, taken: Set<string>): RestBody | undefined {
  const { content, required } = document.resolve(given);
  if (!isJsonObject(content)) return undefined;
  const types = Object.keys(content);
  const mediaType = types.find(isSupported);
  if (mediaType === undefined) {
    if (types.length === 0) return undefined;
    throw invalid(`no media type of a body is supported: ${types.slice(0, 5).join(", ").slice(0, 200)}`);
  }
  const schema = document.resolve(content[mediaType])["schema"] ?? {};
  return { argument: freeName("body", "request", taken), mediaType, required: required === true, schema };
}

function isSupported(mediaType: string): boolean {
  const type = mediaType.split(";")[0]?.trim().toLowerCase() ?? "";
  return (
    ["application/x-www-form-urlencoded", "multipart/form-data", "application/octet-stream"].includes(type) ||
    type === "application/json" ||
    type.endsWith("+json") ||
    type.startsWith("text/")
  );
}

/** Equal names in several places are told apart by the place. */
function freeName(name: string, place: string, taken: Set<string>): string {
  let free = name;
  while (taken.has(free)) free = `${free}_${place}`;
  taken.add(free);
  return free;
}

function isToken(name: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name);
}

function isEmptyList(value: JsonValue | undefined): boolean {
  return Array.isArray(value) && value.length === 0;
}

function firstText(...texts: readonly (JsonValue | undefined)[]): string | undefined {
  const found = texts.find((text) => typeof text === "string" && text.trim() !== "");
  return typeof found === "string" ? found.slice(0, 2000) : undefined;
}

function invalid(problem: string): PlatformError {
  return new PlatformError("INVALID_FIELD", `The OpenAPI description cannot be used: ${problem}.`);
}
