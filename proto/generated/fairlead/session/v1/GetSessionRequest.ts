// Original file: fairlead/session/v1/session_service.proto

import type { SessionKey as _fairlead_common_v1_SessionKey, SessionKey__Output as _fairlead_common_v1_SessionKey__Output } from '../../../fairlead/common/v1/SessionKey.ts';

export interface GetSessionRequest {
  'key'?: (_fairlead_common_v1_SessionKey | null);
}

export interface GetSessionRequest__Output {
  'key': (_fairlead_common_v1_SessionKey__Output | null);
}
