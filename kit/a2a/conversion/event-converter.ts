/**
 * Events of this kit and what peers of the Agent2Agent protocol send. All functions of this folder are pure, and take
 * and return the types of `@a2a-js/sdk`, which reads and writes both versions of the protocol, 1.0 and 0.3.
 *
 * - `part-converter.ts`: `toA2aPart`, `fromA2aPart`, `dataOf` (data that a file of text holds), `isLongRunningPart`
 * - `event-metadata.ts`: `toA2aMetadata`, `fromA2aMetadata`
 * - `to-a2a.ts`: `toA2aParts`, `toMessage`, `toArtifactUpdate`, `toStatusUpdate`
 * - `from-a2a.ts`: `fromMessage`, `fromArtifact`, `fromArtifactUpdate`, `fromStatus`, `fromStatusUpdate`
 * - `metadata-keys.ts`: `A2AMetadataKey`, `A2ADataPartMetadataType`, `A2AMetadata`, `AdkMetadataKey`,
 *   `ADK_EXTENSION_URI`, and `FURTHER_KEY` for keys that only some of ADK's agents write
 * - `protocol.ts`: the SDK's enumerations as values, `isEnded`, `isPaused`
 */
import { fromArtifactUpdate, fromMessage, fromStatusUpdate } from "./from-a2a.ts";
import { toArtifactUpdate, toMessage, toStatusUpdate } from "./to-a2a.ts";

/** Converts events to messages and updates of the Agent2Agent protocol, and back. */
export const EventConverter = {
  /** ADK's agents in Java name the task and the context by these keys of a conversation. */
  ADK_TASK_ID_KEY: "adk_task_id",
  ADK_CONTEXT_ID_KEY: "adk_context_id",
  ...{ toMessage, toArtifactUpdate, toStatusUpdate, fromMessage, fromArtifactUpdate, fromStatusUpdate },
} as const;
