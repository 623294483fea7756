// Original file: fairlead/session/v1/session_service.proto

import type { StorageCount as _fairlead_session_v1_StorageCount, StorageCount__Output as _fairlead_session_v1_StorageCount__Output } from '../../../fairlead/session/v1/StorageCount.ts';

export interface ReadStorageRequest {
  'counts'?: (_fairlead_session_v1_StorageCount)[];
}

export interface ReadStorageRequest__Output {
  'counts': (_fairlead_session_v1_StorageCount__Output)[];
}
