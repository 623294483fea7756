import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import {
  type BodyKind,
  BYTES_TYPE,
  bodyKindOf,
  isBinary,
  isXmlType,
  JSON_PATCH_TYPE,
  JSON_TYPE,
  MERGE_PATCH_TYPE,
  mediaTypeOf,
} from "./media-types.ts";
import type { OpenApiDocument } from "./open-api-document.ts";
import type { ParameterStyle } from "./parameter-style.ts";
import { argumentName } from "./rest-parameter.ts";
import { UnusableOperation } from "./unusable-operation.ts";

/** How one field of a form is written, as the description's `encoding` has it. */
export interface FieldEncoding {
  /** Set if the field is written as a parameter is; its media type has no effect then. */
  readonly style?: ParameterStyle;
  readonly mediaType?: string;
  /** Headers of the field's part, whose values the description fixes. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RestBody {
  readonly argument: string;
  readonly kind: BodyKind;
  readonly mediaType: string;
  readonly required: boolean;
  readonly schema: JsonValue;
  /** For a form: the fields that are files, whose values are base64. */
  readonly files: ReadonlySet<string>;
  /** For a form: the fields whose encoding the description names. */
  readonly encodings: ReadonlyMap<string, FieldEncoding>;
}

const MAX_DEPTH = 10;
/** Styles of fields; others are those of paths and headers. */
const STYLES: ReadonlySet<unknown> = new Set(["form", "spaceDelimited", "pipeDelimited", "deepObject"]);

/** The body of an operation, as the one argument `body`. Throws `UnusableOperation`. */
export function bodyOf(
  document: OpenApiDocument,
  given: JsonValue | undefined,
  taken: Set<string>,
): RestBody | undefined {
  const { content, required } = document.resolve(given);
  if (!isJsonObject(content)) return undefined;
  const types = Object.keys(content);
  const candidates = types.flatMap((type) => {
    const media = document.resolve(content[type]);
    const kind = bodyKindOf(mediaTypeOf(type), document.resolve(media["schema"]));
    return kind === undefined ? [] : [{ type, media, kind, rank: rankOf(mediaTypeOf(type), kind) }];
  });
  const [chosen] = candidates.toSorted((one, other) => one.rank - other.rank);
  if (chosen === undefined) {
    if (types.length === 0) return undefined;
    throw new UnusableOperation(
      `no media type of its body is supported: ${types.slice(0, 5).join(", ").slice(0, 200)}`,
    );
  }
  const { kind, media } = chosen;
  const schema = schemaOf(document, mediaTypeOf(chosen.type), media);
  return {
    argument: argumentName("body", "request", taken),
    kind,
    mediaType: concrete(chosen.type, kind),
    required: required === true,
    schema,
    ...(kind === "form" || kind === "parts" ? fieldsOf(document, schema, media["encoding"]) : NO_FIELDS),
  };
}

/**
 * The preferred type has the lowest rank: JSON, of whose patches the one that has the form of the resource comes first,
 * then forms, then text and bytes, and XML last.
 */
function rankOf(type: string, kind: BodyKind): number {
  if (type === JSON_TYPE) return 0;
  if (type === JSON_PATCH_TYPE) return 3;
  // YAML comes after the forms of JSON.
  if (kind === "json") return type.includes("*") || type.endsWith("json") ? 1 : 2;
  if (kind === "form" || kind === "parts") return 4;
  if (isXmlType(type)) return 7;
  return kind === "json-lines" ? 5 : 6;
}

function concrete(type: string, kind: BodyKind): string {
  if (!type.includes("*")) return type;
  return kind === "json" ? JSON_TYPE : BYTES_TYPE;
}

/** Of a sequence, `itemSchema` describes each value. A JSON patch is a list, also where a description has any object. */
function schemaOf(document: OpenApiDocument, type: string, { schema, itemSchema }: JsonObject): JsonValue {
  if (schema === undefined && itemSchema !== undefined) return { type: "array", items: itemSchema };
  if (type === MERGE_PATCH_TYPE) return withNullMembers(document.resolve(schema));
  if (type !== JSON_PATCH_TYPE) return schema ?? {};
  const resolved = document.resolve(schema);
  return resolved["type"] === "object" && resolved["properties"] === undefined
    ? { type: "array", items: { type: "object" } }
    : (schema ?? {});
}

/** In a merge patch null removes a member, whatever the description of the resource says. */
function withNullMembers(schema: JsonObject, depth = 0): JsonObject {
  const { properties } = schema;
  if (!isJsonObject(properties) || depth > MAX_DEPTH) return schema;
  const members = Object.entries(properties).map(([name, member]): readonly [string, JsonValue] => {
    const inner = isJsonObject(member) ? withNullMembers(member, depth + 1) : member;
    return [name, { anyOf: [inner, { type: "null" }] }];
  });
  return { ...schema, properties: Object.fromEntries(members) };
}

const NO_FIELDS = { files: new Set<string>(), encodings: new Map<string, FieldEncoding>() };

function fieldsOf(
  document: OpenApiDocument,
  schema: JsonValue,
  encoding: JsonValue | undefined,
): Pick<RestBody, "files" | "encodings"> {
  const files = [...propertiesOf(document, schema)].filter(([, field]) => isFile(document, field));
  const encodings = Object.entries(isJsonObject(encoding) ? encoding : {}).map(
    ([name, one]) => [name, encodingOf(document, name, document.resolve(one))] as const,
  );
  return { files: new Set(files.map(([name]) => name)), encodings: new Map(encodings) };
}

/** The members of the schema and of its parts. */
function propertiesOf(document: OpenApiDocument, schema: JsonValue, depth = 0): ReadonlyMap<string, JsonValue> {
  const { properties, allOf, anyOf, oneOf } = document.resolve(schema);
  const parts = depth < MAX_DEPTH ? [allOf, anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : [])) : [];
  return new Map([
    ...parts.flatMap((part) => [...propertiesOf(document, part, depth + 1)]),
    ...Object.entries(isJsonObject(properties) ? properties : {}),
  ]);
}

/** A list of files is files too. */
function isFile(document: OpenApiDocument, field: JsonValue): boolean {
  const schema = document.resolve(field);
  return isBinary(schema) || (isJsonObject(schema["items"]) && isBinary(document.resolve(schema["items"])));
}

function encodingOf(
  document: OpenApiDocument,
  name: string,
  { style, explode, allowReserved, contentType, headers }: JsonObject,
): FieldEncoding {
  const fixed = Object.entries(isJsonObject(headers) ? headers : {}).flatMap(([header, one]) => {
    const value = fixedValue(document, document.resolve(one));
    return value === undefined || header.toLowerCase() === "content-type" ? [] : [[header, value] as const];
  });
  const withHeaders = fixed.length > 0 && { headers: Object.fromEntries(fixed) };
  if (style !== undefined || explode !== undefined || allowReserved !== undefined) {
    const known = typeof style === "string" && STYLES.has(style) ? style : "form";
    return {
      style: {
        name,
        style: known,
        explode: typeof explode === "boolean" ? explode : known === "form",
        allowsReserved: allowReserved === true,
      },
      ...withHeaders,
    };
  }
  // The first of several types is taken; one with a wildcard names none.
  const [first = ""] = typeof contentType === "string" ? contentType.split(",") : [];
  const mediaType = first.trim().slice(0, 200);
  return { mediaType: mediaType !== "" && !mediaType.includes("*") ? mediaType : undefined, ...withHeaders };
}

/** The one value that a header may have. */
function fixedValue(document: OpenApiDocument, { schema }: JsonObject): string | undefined {
  const { const: only, enum: values, default: usual } = document.resolve(schema);
  const value = only ?? (Array.isArray(values) && values.length === 1 ? values[0] : usual);
  return typeof value === "string" && /^[\x20-\x7e]{1,500}$/.test(value) ? value : undefined;
}
