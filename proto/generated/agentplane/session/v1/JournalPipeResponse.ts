// Original file: agentplane/session/v1/run_journal_service.proto

import type { PipedAnswer as _agentplane_session_v1_PipedAnswer, PipedAnswer__Output as _agentplane_session_v1_PipedAnswer__Output } from '../../../agentplane/session/v1/PipedAnswer.ts';

export interface JournalPipeResponse {
  'answers'?: (_agentplane_session_v1_PipedAnswer)[];
}

export interface JournalPipeResponse__Output {
  'answers': (_agentplane_session_v1_PipedAnswer__Output)[];
}
