// Original file: fairlead/session/v1/run_journal_service.proto

import type { SessionHead as _fairlead_session_v1_SessionHead, SessionHead__Output as _fairlead_session_v1_SessionHead__Output } from '../../../fairlead/session/v1/SessionHead.ts';

export interface BatchGetHeadsResponse {
  'heads'?: (_fairlead_session_v1_SessionHead)[];
}

export interface BatchGetHeadsResponse__Output {
  'heads': (_fairlead_session_v1_SessionHead__Output)[];
}
