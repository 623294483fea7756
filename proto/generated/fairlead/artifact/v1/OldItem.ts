// Original file: fairlead/artifact/v1/artifact_service.proto

import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../../google/protobuf/Timestamp.ts';

export interface OldItem {
  'tenantId'?: (string);
  'appName'?: (string);
  'userId'?: (string);
  'sessionId'?: (string);
  'id'?: (string);
  'time'?: (_google_protobuf_Timestamp | null);
  '_sessionId'?: "sessionId";
}

export interface OldItem__Output {
  'tenantId': (string);
  'appName': (string);
  'userId': (string);
  'sessionId'?: (string);
  'id': (string);
  'time': (_google_protobuf_Timestamp__Output | null);
  '_sessionId'?: "sessionId";
}
