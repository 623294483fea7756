// Original file: fairlead/session/v1/run_journal_service.proto

import type { SessionKey as _fairlead_common_v1_SessionKey, SessionKey__Output as _fairlead_common_v1_SessionKey__Output } from '../../../fairlead/common/v1/SessionKey.ts';

export interface BatchGetHeadsRequest {
  'sessions'?: (_fairlead_common_v1_SessionKey)[];
}

export interface BatchGetHeadsRequest__Output {
  'sessions': (_fairlead_common_v1_SessionKey__Output)[];
}
