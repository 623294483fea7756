import type { JournalHead } from "#kit/sessions/journal-head.ts";
import type { SessionHead, SessionHead__Output } from "#proto/agentplane/session/v1/SessionHead.ts";

/** Heads of journals from and to what the ports have. Used by both ends, so that they cannot part. */

export function toHeadMessage(head: JournalHead | undefined): SessionHead {
  return head === undefined ? {} : { head };
}

export function fromHeadMessage({ head }: SessionHead__Output): JournalHead | undefined {
  if (head === null) return undefined;
  const { incarnation, revision, run } = head;
  if (run === null) return { incarnation, revision: Number(revision) };
  const { runId, invocationId, epoch, attempts, baseRevision } = run;
  return {
    incarnation,
    revision: Number(revision),
    run: { runId, invocationId, epoch: Number(epoch), attempts, baseRevision: Number(baseRevision) },
  };
}
