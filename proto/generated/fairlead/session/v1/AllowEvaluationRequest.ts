// Original file: fairlead/session/v1/session_service.proto

import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../../google/protobuf/Timestamp.ts';

export interface AllowEvaluationRequest {
  'tenantId'?: (string);
  'appName'?: (string);
  'userId'?: (string);
  'jobId'?: (string);
  'deadline'?: (_google_protobuf_Timestamp | null);
  '_userId'?: "userId";
}

export interface AllowEvaluationRequest__Output {
  'tenantId': (string);
  'appName': (string);
  'userId'?: (string);
  'jobId': (string);
  'deadline': (_google_protobuf_Timestamp__Output | null);
  '_userId'?: "userId";
}
