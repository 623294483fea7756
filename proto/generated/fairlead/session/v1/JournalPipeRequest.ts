// Original file: fairlead/session/v1/run_journal_service.proto

import type { PipedRequest as _fairlead_session_v1_PipedRequest, PipedRequest__Output as _fairlead_session_v1_PipedRequest__Output } from '../../../fairlead/session/v1/PipedRequest.ts';

export interface JournalPipeRequest {
  'requests'?: (_fairlead_session_v1_PipedRequest)[];
}

export interface JournalPipeRequest__Output {
  'requests': (_fairlead_session_v1_PipedRequest__Output)[];
}
