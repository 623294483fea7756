// Original file: fairlead/session/v1/session_service.proto

import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../../google/protobuf/Timestamp.ts';

export interface GrantEvaluationResponse {
  'grant'?: (string);
  'expires'?: (_google_protobuf_Timestamp | null);
}

export interface GrantEvaluationResponse__Output {
  'grant': (string);
  'expires': (_google_protobuf_Timestamp__Output | null);
}
