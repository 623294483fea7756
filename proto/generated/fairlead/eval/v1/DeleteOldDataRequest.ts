// Original file: fairlead/eval/v1/eval_service.proto

import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../../google/protobuf/Timestamp.ts';

export interface DeleteOldDataRequest {
  'tenantId'?: (string);
  'appName'?: (string);
  'ids'?: (string)[];
  'before'?: (_google_protobuf_Timestamp | null);
}

export interface DeleteOldDataRequest__Output {
  'tenantId': (string);
  'appName': (string);
  'ids': (string)[];
  'before': (_google_protobuf_Timestamp__Output | null);
}
