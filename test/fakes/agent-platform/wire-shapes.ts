import { isJsonObject } from "#kit/platform/json.ts";

/** Throws a `WireProblem` for a value that the service would refuse. */
export type WireShape = ((value: unknown, path: string) => void) & { readonly optional?: true };

/** A fault of a request, which the service answers with this HTTP status. */
export class WireProblem extends Error {
  readonly status: number;

  constructor(message: string, status = 400) {
    super(message);
    this.status = status;
  }
}

function check(what: string, accepts: (value: unknown) => boolean): WireShape {
  return (value, path) => {
    if (!accepts(value)) throw new WireProblem(`Invalid value at '${path}' (${what}): ${JSON.stringify(value)}`);
  };
}

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;

/** The JSON forms of protobuf's types. */
export const wire = {
  text: check("string", (value) => typeof value === "string"),
  flag: check("bool", (value) => typeof value === "boolean"),
  int32: check("int32", (value) => Number.isInteger(value) && Math.abs(Number(value)) < 2 ** 31),
  number: check("double", (value) => typeof value === "number"),
  timestamp: check("Timestamp", (value) => typeof value === "string" && TIMESTAMP.test(value)),
  duration: check("Duration", (value) => typeof value === "string" && /^\d+(\.\d{1,9})?s$/.test(value)),
  bytes: check("bytes", (value) => typeof value === "string" && /^[A-Za-z0-9+/_-]*={0,2}$/.test(value)),
  struct: check("Struct", isJsonObject),
  value: check("Value", (value) => value !== undefined),
  enum: (...names: readonly string[]) => check(names.join(" or "), (value) => names.includes(String(value))),
  /** A required text cannot be empty. */
  given: check("required string", (value) => typeof value === "string" && value !== ""),
  list:
    (item: WireShape): WireShape =>
    (value, path) => {
      if (!Array.isArray(value)) throw new WireProblem(`Invalid value at '${path}' (repeated)`);
      for (const [index, member] of value.entries()) item(member, `${path}[${index}]`);
    },
  map:
    (item: WireShape): WireShape =>
    (value, path) => {
      wire.struct(value, path);
      for (const [key, member] of Object.entries(value as object)) item(member, `${path}["${key}"]`);
    },
  message:
    (members: Readonly<Record<string, WireShape>>, ...oneofs: readonly (readonly string[])[]): WireShape =>
    (value, path) => {
      if (!isJsonObject(value)) throw new WireProblem(`Invalid value at '${path}' (message)`);
      for (const name of Object.keys(value))
        if (members[name] === undefined)
          throw new WireProblem(`Unknown name "${name}" at '${path}': Cannot find field.`);
      for (const [name, shape] of Object.entries(members)) {
        if (value[name] === undefined && shape.optional !== true)
          throw new WireProblem(`The field '${path === "" ? "" : `${path}.`}${name}' is required.`);
        if (value[name] !== undefined) shape(value[name], path === "" ? name : `${path}.${name}`);
      }
      for (const names of oneofs)
        if (names.filter((name) => value[name] !== undefined).length > 1)
          throw new WireProblem(`oneof field is already set at '${path}': ${names.join(", ")}`);
    },
  optional: (shape: WireShape): WireShape =>
    Object.assign((value: unknown, path: string) => shape(value, path), { optional: true as const }),
};

const { optional, message, text, flag, int32, number, timestamp, duration, bytes, struct, list, map, given, value } =
  wire;

const BLOB = message({ mimeType: given, data: bytes });
const PART = message(
  {
    text: optional(text),
    inlineData: optional(BLOB),
    fileData: optional(message({ mimeType: given, fileUri: given })),
    functionCall: optional(message({ id: optional(text), name: given, args: optional(struct) })),
    functionResponse: optional(message({ id: optional(text), name: given, response: struct })),
    executableCode: optional(message({ language: wire.enum("LANGUAGE_UNSPECIFIED", "PYTHON"), code: text })),
    codeExecutionResult: optional(
      message({
        outcome: wire.enum("OUTCOME_UNSPECIFIED", "OUTCOME_OK", "OUTCOME_FAILED", "OUTCOME_DEADLINE_EXCEEDED"),
        output: optional(text),
      }),
    ),
    thought: optional(flag),
    thoughtSignature: optional(bytes),
    videoMetadata: optional(
      message({ startOffset: optional(duration), endOffset: optional(duration), fps: optional(number) }),
    ),
  },
  ["text", "inlineData", "fileData", "functionCall", "functionResponse", "executableCode", "codeExecutionResult"],
);
export const CONTENT = message({ role: optional(text), parts: list(PART) });
const TRANSCRIPTION = message({ text: optional(text), finished: optional(flag) });

/** `Session` in the body of create. */
export const NEW_SESSION = message(
  {
    userId: given,
    displayName: optional(text),
    sessionState: optional(struct),
    labels: optional(map(text)),
    ttl: optional(duration),
    expireTime: optional(timestamp),
  },
  ["ttl", "expireTime"],
);

/** `Session` in the body of update. */
export const CHANGED_SESSION = message(
  {
    name: given,
    userId: optional(given),
    displayName: optional(text),
    sessionState: optional(struct),
    labels: optional(map(text)),
    ttl: optional(duration),
    expireTime: optional(timestamp),
  },
  ["ttl", "expireTime"],
);

/** `SessionEvent` in the body of appendEvent. */
export const SESSION_EVENT = message({
  author: given,
  invocationId: given,
  timestamp,
  content: optional(CONTENT),
  errorCode: optional(text),
  errorMessage: optional(text),
  rawEvent: optional(struct),
  actions: optional(
    message({
      artifactDelta: optional(map(int32)),
      escalate: optional(flag),
      requestedAuthConfigs: optional(struct),
      skipSummarization: optional(flag),
      stateDelta: optional(struct),
      transferAgent: optional(text),
    }),
  ),
  eventMetadata: optional(
    message({
      branch: optional(text),
      partial: optional(flag),
      turnComplete: optional(flag),
      interrupted: optional(flag),
      longRunningToolIds: optional(list(text)),
      customMetadata: optional(struct),
      groundingMetadata: optional(value),
      inputTranscription: optional(TRANSCRIPTION),
      outputTranscription: optional(TRANSCRIPTION),
    }),
  ),
});
