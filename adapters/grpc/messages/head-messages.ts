import type { JournalHead } from "#kit/sessions/journal-head.ts";
import type { SessionHead, SessionHead__Output } from "#proto/fairlead/session/v1/SessionHead.ts";

/**
 * Converts heads of journals to and from the types of the ports. Both ends use these functions, so that they always
 * match.
 */

export function toHeadMessage(head: JournalHead | undefined): SessionHead {
  return head === undefined ? {} : { head };
}

export function fromHeadMessage({ head }: SessionHead__Output): JournalHead | undefined {
  if (head === null) return undefined;
  const { incarnation, revision, run } = head;
  if (run === null) return { incarnation, revision };
  const { runId, invocationId, epoch, attempts, baseRevision, streamKey } = run;
  return {
    incarnation,
    revision,
    run: {
      runId,
      invocationId,
      epoch,
      attempts,
      baseRevision,
      streamKey,
    },
  };
}
