import { PlatformError } from "#kit/errors/platform-error.ts";
import type { JournalHead } from "#kit/sessions/journal-head.ts";
import { type CursorPosition, formatCursor } from "#ports/runs/run-stream.ts";

/**
 * A position in a session's stream: after the event of that sequence and, within the active run, after that entry of
 * its stream.
 */
export interface SessionPosition {
  readonly sequence: number;
  readonly run?: CursorPosition;
}

const CURSOR = /^(0|[1-9]\d{0,14})(?:-(0|[1-9]\d{0,14})\.([1-9]\d{0,14}))?$/;

/** `<sequence>`, or `<sequence>-<epoch>.<n>` while a run is active. */
export function formatSessionCursor({ sequence, run }: SessionPosition): string {
  return run === undefined ? String(sequence) : `${sequence}-${formatCursor(run)}`;
}

/** Throws `INVALID_CURSOR` for anything that `formatSessionCursor` does not write. */
export function parseSessionCursor(cursor: string): SessionPosition {
  const match = CURSOR.exec(cursor);
  if (match === null) {
    throw new PlatformError(
      "INVALID_CURSOR",
      "The cursor is not of the form <sequence> or <sequence>-<epoch>.<n>. Use one that this session's stream returned.",
    );
  }
  const [, sequence, epoch, n] = match;
  return {
    sequence: Number(sequence),
    run: epoch === undefined ? undefined : { epoch: Number(epoch), n: Number(n) },
  };
}

/** Throws `INVALID_CURSOR` for a position ahead of the session or of its active run. */
export function assertPosition(position: SessionPosition, { revision, run }: JournalHead): void {
  const isWithin = position.sequence <= revision && !(position.run && run && position.run.epoch > run.epoch);
  if (isWithin) return;
  const cursor = formatSessionCursor(position);
  const message = `Cursor ${cursor} is ahead of the session. Use one that this session's stream returned.`;
  throw new PlatformError("INVALID_CURSOR", message, { details: { cursor } });
}
