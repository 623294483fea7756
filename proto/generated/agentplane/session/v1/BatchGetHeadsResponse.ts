// Original file: agentplane/session/v1/run_journal_service.proto

import type { SessionHead as _agentplane_session_v1_SessionHead, SessionHead__Output as _agentplane_session_v1_SessionHead__Output } from '../../../agentplane/session/v1/SessionHead.ts';

export interface BatchGetHeadsResponse {
  'heads'?: (_agentplane_session_v1_SessionHead)[];
}

export interface BatchGetHeadsResponse__Output {
  'heads': (_agentplane_session_v1_SessionHead__Output)[];
}
