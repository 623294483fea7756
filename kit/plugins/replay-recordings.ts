import { readFile, realpath } from "node:fs/promises";
import { join, resolve } from "node:path";
import { readJson } from "#kit/schema/read-json.ts";
import { type Static, Type } from "#kit/schema/shape.ts";
import { inCamelCase } from "#kit/schema/spelling.ts";
import { PlatformError } from "../errors/platform-error.ts";
import { ReplayConfigError } from "../errors/replay-errors.ts";
import type { Content } from "../events/content.ts";
import { CONTENT } from "../events/content-table.ts";
import { RESPONSE_MEMBERS } from "../events/event-table.ts";
import type { LiveSignals } from "../models/live-signals.ts";
import type { LlmResponse } from "../models/llm-response.ts";
import { textOfFile } from "../platform/file-errors.ts";
import { isInside } from "../platform/file-paths.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../platform/json.ts";

/** One recorded step of an agent. */
export type Recording =
  | { readonly kind: "model"; readonly contents: readonly Content[]; readonly responses: readonly LlmResponse[] }
  | { readonly kind: "tool"; readonly name: string; readonly args: JsonObject; readonly response: JsonObject };

/** The location of a run's recordings. */
export interface RecordedRun {
  /** Folder of the test case, within that of all recordings. */
  readonly dir: string;
  readonly userMessageIndex: number;
  readonly streamingMode: "none" | "sse";
}

const FILES = { none: "generated-recordings.yaml", sse: "generated-recordings-sse.yaml" } as const;

/**
 * The recordings of one message, by agent. Throws `REPLAY_CONFIG` for a file that is missing, outside the folder or not
 * a recording.
 */
export async function readRecordings(directory: string, run: RecordedRun): Promise<Map<string, Recording[]>> {
  const file = join(run.dir, FILES[run.streamingMode]);
  const { parse } = await import("yaml");
  try {
    const parsed: unknown = parse(await readWithin(directory, file), { schema: "core", logLevel: "error" });
    return byAgent(parsed, run.userMessageIndex);
  } catch (error) {
    if (error instanceof ReplayConfigError) throw error;
    const problem = error instanceof PlatformError ? error.message : "it is not YAML.";
    throw new ReplayConfigError(`The recordings in ${file} cannot be used: ${problem}`, error);
  }
}

async function readWithin(directory: string, file: string): Promise<string> {
  const path = resolve(directory, file);
  if (!isInside(resolve(directory), path)) throw outside(file);
  try {
    const [folder, target] = await Promise.all([realpath(directory), realpath(path)]);
    if (!isInside(folder, target)) throw outside(file);
    return textOfFile(await readFile(target));
  } catch (error) {
    if (error instanceof ReplayConfigError) throw error;
    throw new ReplayConfigError(`There are no recordings in ${file}.`, error);
  }
}

function outside(file: string): ReplayConfigError {
  return new ReplayConfigError(`${file} is outside the folder of recordings.`);
}

/** A string is short for a content with one text part. */
const contentOf = (role: string) =>
  Type.Custom<Content>({}, (value) => {
    if (typeof value === "string") return { role, parts: [{ text: value }] };
    return readJson(CONTENT, value, "content");
  });

/** The members of a provider's answer besides its content, in the spelling of the program that recorded it. */
const provided = Type.Custom({ type: "object" }, (value) => {
  // YAML without tags has no values that JSON lacks.
  const renamed = inCamelCase(value as JsonValue);
  return isJsonObject(renamed) ? renamed : undefined;
});

const RESPONSE = Type.Table<Omit<LlmResponse, keyof LiveSignals>>({
  ...RESPONSE_MEMBERS,
  content: Type.Optional(contentOf("model")),
  usageMetadata: Type.Optional(provided),
  groundingMetadata: Type.Optional(provided),
  citationMetadata: Type.Optional(provided),
});

const RECORDING = Type.Object({
  userMessageIndex: Type.Number(),
  agentName: Type.String(),
  llmRecording: Type.Optional(
    Type.Object({
      llmRequest: Type.Optional(Type.Object({ contents: Type.Optional(Type.Array(contentOf("user"))) })),
      llmResponses: Type.Array(RESPONSE),
    }),
  ),
  toolRecording: Type.Optional(
    Type.Object({
      toolCall: Type.Object({ name: Type.String(), args: Type.Optional(Type.JsonObject()) }),
      toolResponse: Type.Optional(Type.Object({ response: Type.Optional(Type.JsonObject()) })),
    }),
  ),
});

const RECORDINGS = Type.Object({ recordings: Type.Array(RECORDING) });

function byAgent(file: unknown, userMessageIndex: number): Map<string, Recording[]> {
  const { recordings } = readJson(RECORDINGS, file);
  const agents = new Map<string, Recording[]>();
  for (const written of recordings) {
    if (written.userMessageIndex !== userMessageIndex) continue;
    const known = agents.get(written.agentName) ?? [];
    agents.set(written.agentName, known);
    const recording = toRecording(written);
    if (recording !== undefined) known.push(recording);
  }
  if (agents.size === 0) throw new ReplayConfigError(`There are no recordings of message ${userMessageIndex}.`);
  return agents;
}

function toRecording({ llmRecording, toolRecording }: Static<typeof RECORDING>): Recording | undefined {
  if (llmRecording !== undefined) {
    const { llmRequest, llmResponses: responses } = llmRecording;
    return { kind: "model", contents: llmRequest?.contents ?? [], responses };
  }
  if (toolRecording === undefined) return undefined;
  const { toolCall, toolResponse } = toolRecording;
  return { kind: "tool", name: toolCall.name, args: toolCall.args ?? {}, response: toolResponse?.response ?? {} };
}
