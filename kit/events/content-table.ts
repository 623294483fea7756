import { type Rules, Type, withRules } from "#kit/schema/shape.ts";
import type {
  Blob,
  CodeExecutionResult,
  Content,
  ExecutableCode,
  FileData,
  FunctionCall,
  FunctionResponse,
  Part,
  Transcription,
} from "./content.ts";

/**
 * The shape of contents on the wire, member by member: what reads, renames, writes and describes them comes from these
 * tables. Parts and what is in them are closed: adk-python refuses a whole session for a member that it does not know.
 */
const CLOSED: Rules = { closed: true };

const text = Type.Optional(Type.String());
const flag = Type.Optional(Type.Boolean());
const object = Type.Optional(Type.JsonObject());
const anything = Type.Optional(Type.Json());

export const BLOB = Type.Table<Blob>(
  {
    mimeType: text,
    data: Type.Optional(Type.String({ description: "Base64; any alphabet, padding optional." })),
    displayName: text,
  },
  CLOSED,
);

export const FILE_DATA = Type.Table<FileData>({ fileUri: text, mimeType: text, displayName: text }, CLOSED);

export const FUNCTION_CALL = Type.Table<FunctionCall>(
  {
    id: text,
    name: text,
    args: object,
    partialArgs: Type.Optional(Type.Array(Type.JsonObject())),
    willContinue: flag,
  },
  CLOSED,
);

export const FUNCTION_RESPONSE = Type.Table<FunctionResponse>(
  {
    id: text,
    name: text,
    response: object,
    scheduling: text,
    willContinue: flag,
    parts: Type.Optional(Type.Array(Type.JsonObject())),
  },
  CLOSED,
);

const EXECUTABLE_CODE = Type.Table<ExecutableCode>({ language: text, code: text, id: text }, CLOSED);

const outcome = Type.Custom(
  { type: "string" },
  // Models may return outcomes of later versions, which are passed through.
  (value) => (typeof value === "string" ? (value as NonNullable<CodeExecutionResult["outcome"]>) : undefined),
);

const CODE_EXECUTION_RESULT = Type.Table<CodeExecutionResult>(
  { outcome: Type.Optional(outcome), output: text, id: text },
  CLOSED,
);

const VIDEO_METADATA = withRules(Type.Object({ startOffset: anything, endOffset: anything, fps: anything }), CLOSED);

/** Calls and answers of tools that run inside the model: all but their type is the model's own. */
const SERVER_TOOL = Type.Object({ toolType: anything });

export const PART = Type.Table<Part>(
  {
    text,
    thought: flag,
    inlineData: Type.Optional(BLOB),
    fileData: Type.Optional(FILE_DATA),
    functionCall: Type.Optional(FUNCTION_CALL),
    functionResponse: Type.Optional(FUNCTION_RESPONSE),
    executableCode: Type.Optional(EXECUTABLE_CODE),
    codeExecutionResult: Type.Optional(CODE_EXECUTION_RESULT),
    thoughtSignature: text,
    videoMetadata: Type.Optional(VIDEO_METADATA),
    mediaResolution: object,
    toolCall: Type.Optional(SERVER_TOOL),
    toolResponse: Type.Optional(SERVER_TOOL),
    partMetadata: object,
    audioTranscription: anything,
    mediaProcessing: anything,
    speechMetadata: anything,
  },
  CLOSED,
);

export const CONTENT = Type.Table<Content>({ role: text, parts: Type.Optional(Type.Array(PART)) });

export const TRANSCRIPTION = Type.Table<Transcription>({ text, finished: flag });
