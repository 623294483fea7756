import { type Static, Type } from "#kit/schema/shape.ts";
import type { CacheMetadata } from "./cache-metadata.ts";
import type { UsageMetadata } from "./content.ts";
import { CONTENT, TRANSCRIPTION } from "./content-table.ts";
import type { Event, Resumption } from "./event.ts";
import type { EventActions, EventCompaction, ToolConfirmation, ToolInputRequest } from "./event-actions.ts";
import { toMilliseconds, toSeconds } from "./timestamp.ts";

/**
 * The shape of events on the wire, member by member. The reader of events and of request bodies, the renaming of
 * members that clients spell in snake_case, the writer and the OpenAPI description all come from these tables. Contents
 * have their own.
 */
const text = Type.Optional(Type.String());
const flag = Type.Optional(Type.Boolean());
const number = Type.Optional(Type.Number());
const object = Type.Optional(Type.JsonObject());
const names = Type.Optional(Type.Array(Type.String()));
const sequences = Type.Optional(Type.Array(Type.Number()));

const instantOf = (write: (milliseconds: number) => number, description: string) =>
  Type.Custom(
    { type: "number", description },
    (value) => (typeof value === "number" && Number.isFinite(value) ? toMilliseconds(value) : undefined),
    write,
  );
const instant = instantOf((milliseconds) => milliseconds, "Milliseconds since the epoch; seconds are read too.");
const inSeconds = instantOf(toSeconds, "Seconds since the epoch, with a fraction; milliseconds are read too.");

const COMPACTION = Type.Table<EventCompaction>({
  compactedContent: CONTENT,
  startTimestamp: instant,
  endTimestamp: instant,
  startSequence: number,
  endSequence: number,
  keptSequences: sequences,
});

const CONFIRMATION = Type.Table<ToolConfirmation>({
  hint: text,
  confirmed: Type.Boolean(),
  payload: Type.Optional(Type.Json()),
});

const INPUT_REQUEST = Type.Table<ToolInputRequest>({
  message: Type.String(),
  responseSchema: object,
  payload: Type.Optional(Type.Json()),
  state: Type.Optional(Type.Json()),
});

/**
 * Actions as clients may send them: the four maps may be absent, and `endInvocation` is the earlier name of
 * `endOfAgent`.
 */
export const ACTIONS = Type.Table<Partial<EventActions> & { readonly endInvocation?: boolean }>({
  stateDelta: object,
  artifactDelta: Type.Optional(Type.Map(Type.Integer({ minimum: 0 }))),
  requestedAuthConfigs: object,
  requestedToolConfirmations: Type.Optional(Type.Map(CONFIRMATION)),
  requestedInputs: Type.Optional(Type.Map(INPUT_REQUEST)),
  transferToAgent: text,
  escalate: flag,
  skipSummarization: flag,
  endOfAgent: flag,
  endInvocation: flag,
  deletedArtifactIds: names,
  compaction: Type.Optional(COMPACTION),
  agentState: object,
  rewindBeforeInvocationId: text,
  setModelResponse: Type.Optional(Type.Json()),
});

/** Of all models, adk-python spells only the members of this one with underscores, and counts its times in seconds. */
export const CACHE_METADATA = Type.Table<CacheMetadata>(
  {
    cacheName: text,
    expireTime: Type.Optional(inSeconds),
    fingerprint: Type.String(),
    contentsCount: Type.Number(),
    invocationsUsed: number,
    createdAt: Type.Optional(inSeconds),
  },
  { spelling: "snake_case", closed: true },
);

/** The sequences of a compaction in JSON, apart from it because adk-python refuses unknown members of its own model. */
const COMPACTED_SEQUENCES = Type.Object({ start: number, end: number, kept: sequences });

/** Members of actions that JSON contains in the event itself, because adk-python refuses unknown members of actions. */
export interface MovedMembers {
  readonly deletedArtifactIds?: readonly string[];
  readonly compactedSequences?: Static<typeof COMPACTED_SEQUENCES>;
}

/** The common members of an event and of a model's answer. */
export const RESPONSE_MEMBERS = {
  content: Type.Optional(CONTENT),
  partial: flag,
  turnComplete: flag,
  interrupted: flag,
  errorCode: text,
  errorMessage: text,
  finishReason: text,
  usageMetadata: Type.Optional(Type.OpenObject<UsageMetadata>()),
  groundingMetadata: object,
  citationMetadata: object,
  avgLogprobs: number,
  customMetadata: Type.Optional(Type.Json()),
  modelVersion: text,
  inputTranscription: Type.Optional(TRANSCRIPTION),
  outputTranscription: Type.Optional(TRANSCRIPTION),
  generationComplete: flag,
  turnCompleteReason: text,
  interactionStatus: text,
  voiceActivity: object,
  goAway: object,
  liveSessionResumptionUpdate: object,
  cacheMetadata: Type.Optional(CACHE_METADATA),
} as const;

/** An event as clients and stores send it. */
export type EventJson = Omit<Event, "actions" | "outside"> &
  MovedMembers & { readonly actions?: Static<typeof ACTIONS> };

export const EVENT = Type.Table<EventJson>({
  id: Type.String({ minLength: 1 }),
  invocationId: Type.String(),
  author: Type.String({ minLength: 1 }),
  timestamp: instant,
  actions: Type.Optional(ACTIONS),
  ...RESPONSE_MEMBERS,
  longRunningToolIds: names,
  branch: text,
  nodeInfo: object,
  deletedArtifactIds: names,
  compactedSequences: Type.Optional(COMPACTED_SEQUENCES),
  resumption: Type.Optional(Type.Table<Resumption>({ agentState: object, endOfAgent: flag })),
});
