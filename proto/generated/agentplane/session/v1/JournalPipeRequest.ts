// Original file: agentplane/session/v1/run_journal_service.proto

import type { PipedRequest as _agentplane_session_v1_PipedRequest, PipedRequest__Output as _agentplane_session_v1_PipedRequest__Output } from '../../../agentplane/session/v1/PipedRequest.ts';

export interface JournalPipeRequest {
  'requests'?: (_agentplane_session_v1_PipedRequest)[];
}

export interface JournalPipeRequest__Output {
  'requests': (_agentplane_session_v1_PipedRequest__Output)[];
}
