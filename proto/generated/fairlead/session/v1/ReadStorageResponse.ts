// Original file: fairlead/session/v1/session_service.proto

import type { StoredAmounts as _fairlead_session_v1_StoredAmounts, StoredAmounts__Output as _fairlead_session_v1_StoredAmounts__Output } from '../../../fairlead/session/v1/StoredAmounts.ts';

export interface ReadStorageResponse {
  'amounts'?: (_fairlead_session_v1_StoredAmounts)[];
}

export interface ReadStorageResponse__Output {
  'amounts': (_fairlead_session_v1_StoredAmounts__Output)[];
}
