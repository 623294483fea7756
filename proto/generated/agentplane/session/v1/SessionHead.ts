// Original file: agentplane/session/v1/run_journal_service.proto

import type { JournalHead as _agentplane_session_v1_JournalHead, JournalHead__Output as _agentplane_session_v1_JournalHead__Output } from '../../../agentplane/session/v1/JournalHead.ts';

export interface SessionHead {
  'head'?: (_agentplane_session_v1_JournalHead | null);
}

export interface SessionHead__Output {
  'head': (_agentplane_session_v1_JournalHead__Output | null);
}
