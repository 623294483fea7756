import type { Part } from "#kit/events/content.ts";
import type { ToolLlmRequest } from "./base-tool.ts";
import type { CallbackContext } from "./context/callback-context.ts";
import type { ReadonlyContext } from "./context/readonly-context.ts";

/** Makes one agent's model plan before it acts. Shared by all runs; keeps nothing of one. */
export interface BasePlanner {
  /** The instruction for the model; may change the request's settings too. Called before each model call. */
  buildPlanningInstruction(context: ReadonlyContext, request: ToolLlmRequest): string | undefined;
  /**
   * Returns the parts of a complete answer that are shown, stored and executed; undefined leaves the answer unchanged.
   * State changes become part of the answer's event.
   */
  processPlanningResponse?(context: CallbackContext, parts: readonly Part[]): readonly Part[] | undefined;
  /** Reads the chunks of one streamed answer; without it chunks are emitted as the model sends them. */
  createChunkReader?(): ChunkReader;
}

/**
 * Returns the parts of a streamed chunk to emit now. With no parts the chunk is withheld; its text comes with the
 * complete answer.
 */
export type ChunkReader = (parts: readonly Part[]) => readonly Part[];
