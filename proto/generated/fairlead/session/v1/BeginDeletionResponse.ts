// Original file: fairlead/session/v1/session_service.proto

import type { DataDeletion as _fairlead_session_v1_DataDeletion, DataDeletion__Output as _fairlead_session_v1_DataDeletion__Output } from '../../../fairlead/session/v1/DataDeletion.ts';

export interface BeginDeletionResponse {
  'deletion'?: (_fairlead_session_v1_DataDeletion | null);
}

export interface BeginDeletionResponse__Output {
  'deletion': (_fairlead_session_v1_DataDeletion__Output | null);
}
