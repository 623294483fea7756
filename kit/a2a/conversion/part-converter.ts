import type { Part as A2APart } from "@a2a-js/sdk";
import { toStandardBase64 } from "#kit/events/base64.ts";
import type { Blob, Part } from "#kit/events/content.ts";
import { PART } from "#kit/events/content-table.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { readValue } from "#kit/schema/shape-reader.ts";
import { A2ADataPartMetadataType, A2AMetadataKey, FURTHER_KEY } from "./metadata-keys.ts";

/** The names of the members of data parts that the specification names. */
export const PartConverter = {
  ARGS_KEY: "args",
  CODE_KEY: "code",
  ID_KEY: "id",
  LANGUAGE_KEY: "language",
  toA2aPart,
  fromA2aPart,
} as const;

/** Data that is neither a call nor a response stands in a file of text between these marks. */
const DATA_START = "<a2a_datapart_json>";
const DATA_END = "</a2a_datapart_json>";

/** The members of parts that are data parts of a type. */
const TYPED_MEMBERS = {
  [A2ADataPartMetadataType.FUNCTION_CALL]: "functionCall",
  [A2ADataPartMetadataType.FUNCTION_RESPONSE]: "functionResponse",
  [A2ADataPartMetadataType.CODE_EXECUTION_RESULT]: "codeExecutionResult",
  [A2ADataPartMetadataType.EXECUTABLE_CODE]: "executableCode",
  tool_call: "toolCall",
  tool_response: "toolResponse",
} as const satisfies Record<string, keyof Part>;

/** The decorations of parts, each under its key of the metadata. Java's agents write `thought`. */
const DECORATIONS = {
  [FURTHER_KEY.THOUGHT]: "thought",
  [FURTHER_KEY.THOUGHT_SIGNATURE]: "thoughtSignature",
  [FURTHER_KEY.VIDEO_METADATA]: "videoMetadata",
  [FURTHER_KEY.MEDIA_RESOLUTION]: "mediaResolution",
} as const satisfies Record<string, keyof Part>;
const JAVA_THOUGHT = "thought";
const OWN_KEYS: ReadonlySet<string> = new Set([
  ...[...Object.keys(DECORATIONS), JAVA_THOUGHT, A2AMetadataKey.TYPE, A2AMetadataKey.IS_LONG_RUNNING],
]);

const BYTES = "application/octet-stream";

export interface PartOptions {
  /** The call waits for an answer that comes later. */
  readonly isLongRunning?: boolean;
}

/** The part as a peer gets it; undefined for a part without data. */
export function toA2aPart(part: Part, { isLongRunning = false }: PartOptions = {}): A2APart | undefined {
  const { text, inlineData, fileData } = part;
  if (text !== undefined) return a2aPart(part, { $case: "text", value: text });
  if (inlineData?.data !== undefined) {
    const data = dataOf(inlineData);
    if (data !== undefined) return a2aPart(part, { $case: "data", value: data });
    return {
      ...a2aPart(part, { $case: "raw", value: Buffer.from(inlineData.data, "base64") }),
      ...fileName(inlineData),
    };
  }
  if (fileData?.fileUri !== undefined)
    return { ...a2aPart(part, { $case: "url", value: fileData.fileUri }), ...fileName(fileData) };
  for (const [type, member] of Object.entries(TYPED_MEMBERS)) {
    if (part[member] === undefined) continue;
    const more = { [A2AMetadataKey.TYPE]: type, ...(isLongRunning ? { [A2AMetadataKey.IS_LONG_RUNNING]: true } : {}) };
    return a2aPart(part, { $case: "data", value: part[member] }, more);
  }
  return undefined;
}

/**
 * A peer's part as one of a content; undefined if it has no data. Data that does not have the form of its type is data
 * without a type. The caller decides which parts the peer may send: calls and responses are among them.
 */
export function fromA2aPart({ content, metadata, filename, mediaType }: A2APart): Part | undefined {
  const decorations = decorationsOf(metadata);
  const displayName = filename === "" ? {} : { displayName: filename };
  switch (content?.$case) {
    case "text":
      return { text: content.value, ...decorations };
    case "raw": {
      const data = content.value.toString("base64");
      return { inlineData: { mimeType: mediaType || BYTES, data, ...displayName }, ...decorations };
    }
    case "url":
      return { fileData: { fileUri: content.value, mimeType: mediaType || BYTES, ...displayName }, ...decorations };
    case "data":
      return { ...(typedPart(content.value, metadata) ?? dataPart(content.value)), ...decorations };
    default:
      return undefined;
  }
}

/** Whether the peer's part is a call whose answer comes later. */
export function isLongRunningPart({ metadata }: A2APart): boolean {
  return metadata?.[A2AMetadataKey.IS_LONG_RUNNING] === true;
}

/** The data that a file of text holds between the marks; undefined for any other file. */
export function dataOf({ mimeType, data = "" }: Blob): JsonValue | undefined {
  if (mimeType !== "text/plain") return undefined;
  const bytes = Buffer.from(data, "base64");
  if (bytes.subarray(0, DATA_START.length).toString() !== DATA_START) return undefined;
  const text = bytes.toString();
  if (!text.endsWith(DATA_END)) return undefined;
  try {
    return JSON.parse(text.slice(DATA_START.length, -DATA_END.length)) as JsonValue;
  } catch {
    // An agent may write such a text itself: it stays a file.
    return undefined;
  }
}

function a2aPart(part: Part, content: A2APart["content"], more: JsonObject = {}): A2APart {
  const metadata: Record<string, unknown> = { ...part.partMetadata, ...more };
  for (const [key, member] of Object.entries(DECORATIONS)) {
    if (part[member] !== undefined) metadata[key] = part[member];
  }
  return {
    content,
    metadata: Object.keys(metadata).length === 0 ? undefined : metadata,
    filename: "",
    mediaType: "",
  };
}

function fileName({ displayName = "", mimeType = "" }: Blob): Pick<A2APart, "filename" | "mediaType"> {
  return { filename: displayName, mediaType: mimeType };
}

function decorationsOf(metadata: A2APart["metadata"]): Partial<Part> {
  if (metadata === undefined) return {};
  const { [FURTHER_KEY.THOUGHT]: thought = metadata[JAVA_THOUGHT], [FURTHER_KEY.THOUGHT_SIGNATURE]: signature } =
    metadata;
  const video = metadata[FURTHER_KEY.VIDEO_METADATA];
  const resolution = metadata[FURTHER_KEY.MEDIA_RESOLUTION];
  const thoughtSignature = typeof signature === "string" ? toStandardBase64(signature) : undefined;
  const others = Object.entries(metadata).filter(([key]) => !OWN_KEYS.has(key));
  return {
    ...(typeof thought === "boolean" ? { thought } : {}),
    ...(thoughtSignature === undefined ? {} : { thoughtSignature }),
    ...(isJsonObject(video) ? { videoMetadata: video } : {}),
    ...(isJsonObject(resolution) ? { mediaResolution: resolution } : {}),
    ...(others.length === 0 ? {} : { partMetadata: Object.fromEntries(others) }),
  };
}

function typedPart(value: unknown, metadata: A2APart["metadata"]): Part | undefined {
  const type: unknown = metadata?.[A2AMetadataKey.TYPE];
  if (typeof type !== "string" || !Object.hasOwn(TYPED_MEMBERS, type) || !isJsonObject(value)) return undefined;
  // The line above has checked that it is a key.
  const member = TYPED_MEMBERS[type as keyof typeof TYPED_MEMBERS];
  // The reader changes what it reads.
  const read = readValue(PART, { [member]: structuredClone(withResponse(member, value)) }, { strip: true });
  return read.ok ? read.value : undefined;
}

/** Peers may answer with any value. */
function withResponse(member: keyof Part, value: JsonObject): JsonObject {
  const { response } = value;
  if (member !== "functionResponse" || response === undefined || response === null || isJsonObject(response))
    return value;
  return { ...value, response: { result: response } };
}

function dataPart(value: unknown): Part {
  const text = `${DATA_START}${JSON.stringify(value ?? null)}${DATA_END}`;
  return { inlineData: { mimeType: "text/plain", data: Buffer.from(text).toString("base64") } };
}
