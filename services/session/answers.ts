import { MAX_MESSAGE_BYTES, PAGE_CHARACTERS } from "#adapters/grpc/messages/messages.ts";
import { MAX_HEADS } from "#kit/sessions/journal-head.ts";
import { MAX_USER_CREDENTIALS } from "#ports/credentials/credential-rules.ts";
import type { SessionLimits } from "#ports/sessions/session-limits.ts";
import { MAX_DATA_PAGE_CHARACTERS } from "#ports/tenants/data-pages.ts";
import { MAX_IDLE_PAGE } from "#ports/tenants/idle-sessions.ts";
import { MAX_OLD_PAGE } from "#ports/tenants/old-data.ts";
import type { CredentialServiceDefinition } from "#proto/fairlead/credential/v1/CredentialService.ts";
import type { RunJournalServiceDefinition } from "#proto/fairlead/session/v1/RunJournalService.ts";
import type { SessionServiceDefinition } from "#proto/fairlead/session/v1/SessionService.ts";
import type { AnswerBounds } from "#shared/grpc/answer-bounds.ts";

/** Data as values, as JSON and as bytes. */
const COPIES = 3;
/** Names, times and counts of an entry of a list. */
const ENTRY_BYTES = 2048;
const RECORD_BYTES = 2 * MAX_MESSAGE_BYTES;

/** How the answers about sessions are bounded: state by its limits, and events by pages. */
export function sessionAnswers({ maxStateBytes }: SessionLimits): AnswerBounds<SessionServiceDefinition> {
  const head = COPIES * 3 * maxStateBytes;
  return {
    ListData: COPIES * MAX_DATA_PAGE_CHARACTERS,
    DeleteData: "small",
    BeginDeletion: "small",
    EndDeletion: "small",
    ListDeletions: COPIES * ENTRY_BYTES * 1000,
    ListIdleSessions: COPIES * ENTRY_BYTES * MAX_IDLE_PAGE,
    ListOldData: COPIES * ENTRY_BYTES * MAX_OLD_PAGE,
    DeleteOldData: "small",
    CreateSession: head,
    GetSession: head,
    ListSessions: ({ maxCharacters = PAGE_CHARACTERS }) => COPIES * maxCharacters + 2 * head,
    DeleteSession: "small",
    // A page ends with the event by which it has its size, and no event before that is longer than one may be.
    ListEvents: ({ maxCharacters = PAGE_CHARACTERS, maxEventCharacters = Math.max(maxCharacters, PAGE_CHARACTERS) }) =>
      COPIES * (maxCharacters + maxEventCharacters),
    AppendEvent: COPIES * PAGE_CHARACTERS,
    CloseSession: "small",
    ApplyStateDelta: head,
    ReadStorage: "small",
    AllowEvaluation: "small",
    GrantEvaluation: "small",
  };
}

/** Runs are begun with what they need of their sessions; the others are answered with records. */
export const RUN_ANSWERS: AnswerBounds<RunJournalServiceDefinition> = {
  BeginRun: "of-a-run",
  AppendEvents: "of-a-run",
  JournalPipe: "of-a-run",
  FinishRun: "of-a-run",
  RenewLease: "small",
  ReleaseRun: RECORD_BYTES,
  SignGrant: "small",
  RequestCancel: RECORD_BYTES,
  GetRun: RECORD_BYTES,
  BatchGetHeads: COPIES * ENTRY_BYTES * MAX_HEADS,
  ListAbandonedRuns: RECORD_BYTES,
  ListRuns: ({ maxCharacters = PAGE_CHARACTERS }) => COPIES * maxCharacters + RECORD_BYTES,
};

export const CREDENTIAL_ANSWERS: AnswerBounds<CredentialServiceDefinition> = {
  DeleteData: "small",
  LoadCredential: "small",
  SaveCredential: "small",
  DeleteCredential: "small",
  ListCredentials: COPIES * ENTRY_BYTES * MAX_USER_CREDENTIALS,
};
