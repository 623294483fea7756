// Original file: fairlead/session/v1/run_journal_service.proto

import type { JournalHead as _fairlead_session_v1_JournalHead, JournalHead__Output as _fairlead_session_v1_JournalHead__Output } from '../../../fairlead/session/v1/JournalHead.ts';

export interface SessionHead {
  'head'?: (_fairlead_session_v1_JournalHead | null);
}

export interface SessionHead__Output {
  'head': (_fairlead_session_v1_JournalHead__Output | null);
}
