import { toStandardBase64 } from "#kit/events/base64.ts";
import { isJsonObject, type JsonValue } from "#kit/platform/json.ts";
import { fileTypeOf } from "./file-type.ts";
import { type BodyContent, isJsonType, mediaTypeOf } from "./media-types.ts";
import { type FormPart, writeParts } from "./multipart.ts";
import { fieldText, namedValues, pairsOf, textOf } from "./parameter-style.ts";
import type { FieldEncoding, RestBody } from "./rest-body.ts";
import { UnusableArgument } from "./unusable-operation.ts";

/** A body as its media type has it. Throws `UnusableArgument`. */
export function bodyContent(body: RestBody, value: JsonValue): BodyContent {
  const { kind, mediaType, argument } = body;
  switch (kind) {
    case "json":
      // A YAML document that a model writes is sent as it is.
      return { content: isJsonType(mediaTypeOf(mediaType)) ? JSON.stringify(value) : textOf(value), mediaType };
    case "json-lines":
      return { content: jsonLines(value), mediaType };
    case "text":
      return { content: textOf(value), mediaType };
    case "bytes":
      return { content: bytesOf(argument, value), mediaType };
    case "form":
      return { content: formText(body, value), mediaType };
    case "parts":
      return writeParts(membersOf(body, value).flatMap(([name, field]) => partsOf(body, name, field)));
    default:
      return kind satisfies never;
  }
}

function jsonLines(value: JsonValue): string {
  if (typeof value === "string") return value.endsWith("\n") ? value : `${value}\n`;
  return (Array.isArray(value) ? value : [value]).map((line) => `${JSON.stringify(line)}\n`).join("");
}

function membersOf({ argument }: RestBody, value: JsonValue): readonly (readonly [string, JsonValue])[] {
  if (isJsonObject(value)) return Object.entries(value);
  throw new UnusableArgument(`${argument}: a form is an object of its fields`);
}

function formText(body: RestBody, value: JsonValue): string {
  return membersOf(body, value)
    .flatMap(([name, field]): readonly string[] => {
      const { style, mediaType = "" } = body.encodings.get(name) ?? {};
      if (style !== undefined) return pairsOf(style, field);
      const isJson = isJsonType(mediaTypeOf(mediaType)) && typeof field === "object";
      const items = isJson || !Array.isArray(field) ? [field] : field;
      return items.map((item) =>
        new URLSearchParams([[name, isJson ? JSON.stringify(item) : fieldText(item)]]).toString(),
      );
    })
    .join("&");
}

/** Objects are sent as JSON and other values as text, unless the description names another type. */
function partsOf(body: RestBody, name: string, field: JsonValue): readonly FormPart[] {
  const encoding: FieldEncoding = body.encodings.get(name) ?? {};
  const { headers = {}, style } = encoding;
  if (body.files.has(name))
    return (Array.isArray(field) ? field : [field]).map((item) => filePart(body, { name, item, encoding }));
  if (style !== undefined)
    return namedValues(style, field).map(({ name: key, texts, delimiter }) => ({
      ...{ name: key, headers, content: texts.join(delimiter) },
    }));
  const mediaType = encoding.mediaType ?? "";
  // A list whose type is JSON is one part; the usual type of a list is that of its items.
  const items = Array.isArray(field) && !isJsonType(mediaTypeOf(mediaType)) ? field : [field];
  return items.map((item) => {
    const usual = typeof item === "object" && item !== null ? "application/json" : "";
    return { name, headers, mediaType: mediaType === "" ? usual : mediaType, content: fieldText(item) };
  });
}

/** Servers read the kind of a file from its type, or from the end of its name. */
function filePart(
  { argument }: RestBody,
  { name, item, encoding }: { readonly name: string; readonly item: JsonValue; readonly encoding: FieldEncoding },
): FormPart {
  const content = bytesOf(`${argument}.${name}`, item);
  const { mediaType, extension } = fileTypeOf(content);
  return {
    ...{ name, content, headers: encoding.headers ?? {}, mediaType: encoding.mediaType ?? mediaType },
    filename: `${name.replaceAll(/[^\w.-]/g, "_")}${extension}`,
  };
}

function bytesOf(argument: string, value: JsonValue): Uint8Array<ArrayBuffer> {
  const base64 = toStandardBase64(textOf(value));
  if (base64 === undefined) throw new UnusableArgument(`${argument}: the bytes should be in base64`);
  return Buffer.from(base64, "base64");
}
