import type { Part } from "#kit/events/content.ts";
import type { ToolLlmRequest } from "./base-tool.ts";
import type { CallbackContext } from "./context/callback-context.ts";
import type { ReadonlyContext } from "./context/readonly-context.ts";

/** Makes one agent's model plan before it acts. Shared by all runs; keeps nothing of one. */
export interface BasePlanner {
  /** What the model is told; may change the request's settings too. Called before each model call. */
  buildPlanningInstruction(context: ReadonlyContext, request: ToolLlmRequest): string | undefined;
  /**
   * The parts of a complete answer as they are shown, stored and acted upon; undefined leaves them. Changes of state
   * become part of the answer's event.
   */
  processPlanningResponse?(context: CallbackContext, parts: readonly Part[]): readonly Part[] | undefined;
  /** Reads the pieces of one streamed answer; without it they go out as the model gives them. */
  createPieceReader?(): PieceReader;
}

/** What of a streamed piece may go out now; no part holds the piece back, and the complete answer brings its text. */
export type PieceReader = (parts: readonly Part[]) => readonly Part[];
