// Original file: fairlead/session/v1/session_service.proto

import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../../google/protobuf/Timestamp.ts';

export interface OldItem {
  'tenantId'?: (string);
  'appName'?: (string);
  'userId'?: (string);
  'sessionId'?: (string);
  'id'?: (string);
  'time'?: (_google_protobuf_Timestamp | null);
}

export interface OldItem__Output {
  'tenantId': (string);
  'appName': (string);
  'userId': (string);
  'sessionId': (string);
  'id': (string);
  'time': (_google_protobuf_Timestamp__Output | null);
}
