import { readFile, realpath } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type JsonRecord, readRecord } from "#kit/schema/read-json.ts";
import { PlatformError } from "../errors/platform-error.ts";
import { ReplayConfigError } from "../errors/replay-errors.ts";
import type { Content } from "../events/content.ts";
import { CONTENT_SHAPE } from "../events/content-json.ts";
import type { LlmResponse } from "../models/llm-response.ts";
import { inCamelCase } from "../platform/camel-case.ts";
import { isInside } from "../platform/is-inside.ts";
import type { JsonObject, JsonValue } from "../platform/json.ts";

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
    // YAML without tags has no values that JSON lacks.
    const parsed = parse(await readWithin(directory, file), { schema: "core", logLevel: "error" }) as JsonValue;
    return byAgent(parsed, run.userMessageIndex);
  } catch (error) {
    if (error instanceof ReplayConfigError) throw error;
    const problem = error instanceof PlatformError ? error.message : "it is no YAML.";
    throw new ReplayConfigError(`The recordings in ${file} cannot be used: ${problem}`, error);
  }
}

async function readWithin(directory: string, file: string): Promise<string> {
  const path = resolve(directory, file);
  if (!isInside(resolve(directory), path)) throw outside(file);
  try {
    const [folder, target] = await Promise.all([realpath(directory), realpath(path)]);
    if (!isInside(folder, target)) throw outside(file);
    return await readFile(target, "utf8");
  } catch (error) {
    if (error instanceof ReplayConfigError) throw error;
    throw new ReplayConfigError(`There are no recordings in ${file}.`, error);
  }
}

function outside(file: string): ReplayConfigError {
  return new ReplayConfigError(`${file} is outside the folder of recordings.`);
}

const RECORDING: JsonRecord = {
  members: {
    userMessageIndex: "number",
    agentName: "string",
    llmRecording: {
      members: {
        llmRequest: { members: { contents: { listOf: "any" } } },
        llmResponses: { listOf: { members: { content: "any", partial: "boolean", errorCode: "string" } } },
      },
      required: ["llmResponses"],
    },
    toolRecording: {
      members: {
        toolCall: { members: { name: "string", args: "object" }, required: ["name"] },
        toolResponse: { members: { response: "object" } },
      },
      required: ["toolCall"],
    },
  },
  required: ["userMessageIndex", "agentName"],
};

const RECORDINGS: JsonRecord = { members: { recordings: { listOf: RECORDING } }, required: ["recordings"] };

function byAgent(file: JsonValue, userMessageIndex: number): Map<string, Recording[]> {
  // `RECORDINGS` has checked that each member has this type.
  const { recordings } = readRecord(inCamelCase(file, FREE), RECORDINGS) as unknown as {
    readonly recordings: readonly WrittenRecording[];
  };
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

interface WrittenRecording {
  readonly userMessageIndex: number;
  readonly agentName: string;
  readonly llmRecording?: {
    readonly llmRequest?: { readonly contents?: readonly JsonValue[] };
    readonly llmResponses: readonly (Omit<LlmResponse, "content"> & { readonly content?: JsonValue })[];
  };
  readonly toolRecording?: {
    readonly toolCall: { readonly name: string; readonly args?: JsonObject };
    readonly toolResponse?: { readonly response?: JsonObject };
  };
}

function toRecording({ llmRecording, toolRecording }: WrittenRecording): Recording | undefined {
  if (llmRecording !== undefined) {
    const responses = llmRecording.llmResponses.map(({ content, ...rest }) =>
      content === undefined ? rest : { ...rest, content: toContent(content, "model") },
    );
    const contents = (llmRecording.llmRequest?.contents ?? []).map((content) => toContent(content, "user"));
    return { kind: "model", contents, responses };
  }
  if (toolRecording === undefined) return undefined;
  const { toolCall, toolResponse } = toolRecording;
  return { kind: "tool", name: toolCall.name, args: toolCall.args ?? {}, response: toolResponse?.response ?? {} };
}

/** A string is short for a content with one text part. */
function toContent(value: JsonValue, role: string): Content {
  if (typeof value === "string") return { role, parts: [{ text: value }] };
  return readRecord(value, CONTENT_SHAPE, "content");
}

/** Below these members the keys belong to the author. */
const FREE = new Set(["args", "response", "customMetadata"]);
