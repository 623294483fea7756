import type { CursorPosition } from "#ports/runs/run-stream.ts";
import type { RunBatch } from "./run-batch.ts";

export interface RunLogPage {
  readonly batches: readonly RunBatch[];
  /** More batches may follow these. */
  readonly isFull: boolean;
  /** The position last written when the page was requested; undefined for a run that is not kept. */
  readonly newest?: CursorPosition;
  readonly ended: boolean;
}

/** Reads the kept entries of one run. */
export interface RunLog {
  /** The batches after the position, or from the beginning. */
  read(after: CursorPosition | undefined): Promise<RunLogPage>;
}
