// Original file: fairlead/session/v1/session_service.proto

import type { DataDeletion as _fairlead_session_v1_DataDeletion, DataDeletion__Output as _fairlead_session_v1_DataDeletion__Output } from '../../../fairlead/session/v1/DataDeletion.ts';

export interface ListDeletionsResponse {
  'deletions'?: (_fairlead_session_v1_DataDeletion)[];
}

export interface ListDeletionsResponse__Output {
  'deletions': (_fairlead_session_v1_DataDeletion__Output)[];
}
