import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { FORM_TYPE, isBytesType, isJsonType, mediaTypeOf, PARTS_TYPE } from "./media-types.ts";
import type { OpenApiDocument } from "./open-api-document.ts";
import { freeName } from "./rest-parameter.ts";
import { UnusableOperation } from "./unusable-operation.ts";

export interface RestBody {
  readonly argument: string;
  readonly mediaType: string;
  readonly required: boolean;
  readonly schema: JsonValue;
  /** For a multipart body: the fields that are files, whose values are base64. */
  readonly files: ReadonlySet<string>;
  /** For a multipart body: the media types of fields, where the description names them. */
  readonly partTypes: ReadonlyMap<string, string>;
}

/** The supported media types of a body, the preferred one first. */
const SUPPORTED: readonly ((type: string) => boolean)[] = [
  (type) => isJsonType(type) || type === "*/*" || type === "application/*",
  (type) => type === FORM_TYPE || type === PARTS_TYPE,
  (type) => isBytesType(type) || type.startsWith("text/"),
];

/** The body of an operation, as the one argument `body`. Throws `UnusableOperation`. */
export function bodyOf(
  document: OpenApiDocument,
  given: JsonValue | undefined,
  taken: Set<string>,
): RestBody | undefined {
  const { content, required } = document.resolve(given);
  if (!isJsonObject(content)) return undefined;
  const types = Object.keys(content);
  const chosen = SUPPORTED.flatMap((isSupported) => types.filter((type) => isSupported(mediaTypeOf(type))))[0];
  if (chosen === undefined) {
    if (types.length === 0) return undefined;
    throw new UnusableOperation(
      `no media type of its body is supported: ${types.slice(0, 5).join(", ").slice(0, 200)}`,
    );
  }
  const media = document.resolve(content[chosen]);
  const schema = media["schema"] ?? {};
  return {
    argument: freeName("body", "request", taken),
    mediaType: chosen.includes("*") ? "application/json" : chosen,
    required: required === true,
    schema,
    ...(mediaTypeOf(chosen) === PARTS_TYPE ? partsOf(document, schema, media["encoding"]) : NO_PARTS),
  };
}

const NO_PARTS = { files: new Set<string>(), partTypes: new Map<string, string>() };

function partsOf(
  document: OpenApiDocument,
  schema: JsonValue,
  encoding: JsonValue | undefined,
): Pick<RestBody, "files" | "partTypes"> {
  const { properties } = document.resolve(schema);
  const fields = Object.entries(isJsonObject(properties) ? properties : {});
  const files = fields.filter(([, field]) => isFile(document, field)).map(([name]) => name);
  const partTypes = Object.entries(isJsonObject(encoding) ? encoding : {}).flatMap(([name, part]) => {
    const type = isJsonObject(part) ? part["contentType"] : undefined;
    // The first of several types is taken; one with a wildcard names none.
    const [first = ""] = typeof type === "string" ? type.split(",") : [];
    return first === "" || first.includes("*") ? [] : [[name, first.trim().slice(0, 200)] as const];
  });
  return { files: new Set(files), partTypes: new Map(partTypes) };
}

/** A file is a `binary` text in OpenAPI 3.0, and a text with a media type in 3.1; a list of files is files too. */
function isFile(document: OpenApiDocument, field: JsonValue): boolean {
  const schema = document.resolve(field);
  return isBinary(schema) || (isJsonObject(schema["items"]) && isBinary(document.resolve(schema["items"])));
}

export function isBinary({ format, contentMediaType, contentEncoding, type }: JsonObject): boolean {
  if (format === "binary") return true;
  return typeof contentMediaType === "string" && contentEncoding === undefined && (type ?? "string") === "string";
}
