// Original file: fairlead/session/v1/session_service.proto

import type { OldRun as _fairlead_session_v1_OldRun, OldRun__Output as _fairlead_session_v1_OldRun__Output } from '../../../fairlead/session/v1/OldRun.ts';
import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../../google/protobuf/Timestamp.ts';

export interface DeleteOldDataRequest {
  'tenantId'?: (string);
  'appName'?: (string);
  'userId'?: (string);
  'items'?: (_fairlead_session_v1_OldRun)[];
  'before'?: (_google_protobuf_Timestamp | null);
}

export interface DeleteOldDataRequest__Output {
  'tenantId': (string);
  'appName': (string);
  'userId': (string);
  'items': (_fairlead_session_v1_OldRun__Output)[];
  'before': (_google_protobuf_Timestamp__Output | null);
}
