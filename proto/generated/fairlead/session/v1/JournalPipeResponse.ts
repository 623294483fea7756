// Original file: fairlead/session/v1/run_journal_service.proto

import type { PipedAnswer as _fairlead_session_v1_PipedAnswer, PipedAnswer__Output as _fairlead_session_v1_PipedAnswer__Output } from '../../../fairlead/session/v1/PipedAnswer.ts';

export interface JournalPipeResponse {
  'answers'?: (_fairlead_session_v1_PipedAnswer)[];
}

export interface JournalPipeResponse__Output {
  'answers': (_fairlead_session_v1_PipedAnswer__Output)[];
}
