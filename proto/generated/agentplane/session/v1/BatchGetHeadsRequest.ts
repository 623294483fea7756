// Original file: agentplane/session/v1/run_journal_service.proto

import type { SessionKey as _agentplane_common_v1_SessionKey, SessionKey__Output as _agentplane_common_v1_SessionKey__Output } from '../../../agentplane/common/v1/SessionKey.ts';

export interface BatchGetHeadsRequest {
  'sessions'?: (_agentplane_common_v1_SessionKey)[];
}

export interface BatchGetHeadsRequest__Output {
  'sessions': (_agentplane_common_v1_SessionKey__Output)[];
}
