// Original file: fairlead/eval/v1/eval_service.proto

import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../../google/protobuf/Timestamp.ts';

export interface OldItem {
  'tenantId'?: (string);
  'appName'?: (string);
  'id'?: (string);
  'time'?: (_google_protobuf_Timestamp | null);
}

export interface OldItem__Output {
  'tenantId': (string);
  'appName': (string);
  'id': (string);
  'time': (_google_protobuf_Timestamp__Output | null);
}
