// Original file: fairlead/memory/v1/memory_service.proto

import type { OldEntry as _fairlead_memory_v1_OldEntry, OldEntry__Output as _fairlead_memory_v1_OldEntry__Output } from '../../../fairlead/memory/v1/OldEntry.ts';
import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../../google/protobuf/Timestamp.ts';

export interface DeleteOldDataRequest {
  'tenantId'?: (string);
  'appName'?: (string);
  'userId'?: (string);
  'items'?: (_fairlead_memory_v1_OldEntry)[];
  'before'?: (_google_protobuf_Timestamp | null);
}

export interface DeleteOldDataRequest__Output {
  'tenantId': (string);
  'appName': (string);
  'userId': (string);
  'items': (_fairlead_memory_v1_OldEntry__Output)[];
  'before': (_google_protobuf_Timestamp__Output | null);
}
