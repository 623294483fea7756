import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { present } from "#kit/platform/members.ts";
import type { McpSdk } from "./mcp-sdk.ts";

const IMAGE_TYPES: readonly (readonly [start: string, type: string])[] = [
  ...([
    ["iVBOR", "image/png"],
    ["/9j/", "image/jpeg"],
    ["R0lGOD", "image/gif"],
    ["UklGR", "image/webp"],
  ] as const),
];

/**
 * The message in the form of the protocol, where servers of other languages write it differently: an empty cursor after
 * the last page, schemas of tools without a type, results whose content is not a list, and blocks that the protocol does not
 * have, or the one member that results of tools had in the protocol's first version. The SDK would refuse the whole
 * message.
 */
export function usualForm<Message extends JSONRPCMessage>(sdk: McpSdk, message: Message): Message {
  const { result } = message as { readonly result?: unknown };
  return isJsonObject(result) ? { ...message, result: resultOf(sdk, result) } : message;
}

function resultOf(sdk: McpSdk, result: JsonObject): JsonObject {
  const { nextCursor, tools, toolResult, capabilities, isError, protocolVersion, ...members } = result;
  const { content, structuredContent, ...others } =
    toolResult === undefined ? members : ofFirstVersion(toolResult, members);
  const isCall = content !== undefined || structuredContent !== undefined || isError !== undefined;
  return present({
    ...others,
    ...(protocolVersion !== undefined && { protocolVersion, ...handshakeOf(result) }),
    nextCursor: nextCursor !== undefined && nextCursor !== "" ? nextCursor : undefined,
    ...(capabilities !== undefined && { capabilities: isJsonObject(capabilities) ? objectsOf(capabilities) : {} }),
    ...(tools !== undefined && { tools: Array.isArray(tools) ? tools.map(toolOf) : tools }),
    content: isCall ? listOf(content).map((block) => blockOf(sdk, block)) : undefined,
    isError: isError === undefined ? undefined : isError === true || isError === "true",
    ...(structuredContent !== undefined && {
      structuredContent: isJsonObject(structuredContent) ? structuredContent : { result: structuredContent },
    }),
  });
}

/** A result whose one member is anything that the tool gave. */
function ofFirstVersion(given: JsonValue, members: JsonObject): JsonObject {
  if (isJsonObject(given) && given["content"] !== undefined) return { ...given, ...members };
  return present({ content: given, structuredContent: isJsonObject(given) ? given : undefined, ...members });
}

/** A server that does not say what it can do is asked for its tools. */
function handshakeOf({ serverInfo, capabilities = { tools: {} } }: JsonObject): JsonObject {
  const { name = "unknown", version = "unknown", ...rest } = isJsonObject(serverInfo) ? serverInfo : {};
  return {
    serverInfo: { ...rest, name: String(name), version: String(version) },
    capabilities: isJsonObject(capabilities) ? objectsOf(capabilities) : {},
  };
}

function objectsOf(capabilities: JsonObject): JsonObject {
  const entries = Object.entries(capabilities).filter(([, value]) => value !== false);
  return Object.fromEntries(entries.map(([name, value]) => [name, isJsonObject(value) ? value : {}]));
}

function listOf(content: JsonValue | undefined): readonly JsonValue[] {
  if (Array.isArray(content)) return content;
  return content === undefined ? [] : [content];
}

/** A block whose decorations alone are wrong is one without them; any other form is a text, as the model can read it. */
function blockOf({ specTypeSchemas }: McpSdk, block: JsonValue): JsonValue {
  const isBlock = (value: JsonValue): boolean => {
    const checked = specTypeSchemas.ContentBlock["~standard"].validate(value);
    return !(checked instanceof Promise) && checked.issues === undefined;
  };
  const typed = isJsonObject(block) && block["type"] === "image" ? withImageType(block) : block;
  if (isBlock(typed)) return typed;
  if (isJsonObject(typed)) {
    const { annotations: _, _meta: __, ...bare } = typed;
    if (isBlock(bare)) return bare;
    if (bare["type"] === "text" && bare["text"] === undefined) return { type: "text", text: "" };
  }
  return { type: "text", text: typeof block === "string" ? block : JSON.stringify(block) };
}

function withImageType(block: JsonObject): JsonObject {
  const { data, mimeType } = block;
  if (mimeType !== undefined || typeof data !== "string") return block;
  const known = IMAGE_TYPES.find(([start]) => data.startsWith(start));
  return known === undefined ? block : { ...block, mimeType: known[1] };
}

function toolOf(tool: JsonValue): JsonValue {
  if (!isJsonObject(tool)) return tool;
  const { inputSchema = null, outputSchema, ...others } = tool;
  const schema = isEmpty(inputSchema) ? {} : inputSchema;
  return present({
    ...others,
    inputSchema: isJsonObject(schema) ? objectSchema(schema) : schema,
    outputSchema: isJsonObject(outputSchema) && isObjectType(outputSchema) ? objectSchema(outputSchema) : undefined,
  });
}

/** Only newer versions of the protocol have results of other types, which are the member of an object here. */
function isObjectType({ type = null }: JsonObject): boolean {
  return type === null || type === "" || [type].flat().includes("object");
}

/** Nothing, or the empty list that PHP writes for an object without members. */
function isEmpty(value: JsonValue): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}

/** Arguments are an object, also if the schema does not say so. */
function objectSchema(schema: JsonObject): JsonObject {
  const { type = null, properties = null, required, ...rest } = schema;
  return present({
    type: isObjectType({ type }) ? "object" : type,
    properties: !isEmpty(properties) ? properties : undefined,
    required: Array.isArray(required) ? required : undefined,
    ...rest,
  });
}
