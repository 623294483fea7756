// Original file: fairlead/session/v1/session_service.proto

import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../../google/protobuf/Timestamp.ts';

export interface ListOldDataRequest {
  'before'?: (_google_protobuf_Timestamp | null);
  'pageSize'?: (number);
  'pageToken'?: (string);
  '_pageToken'?: "pageToken";
}

export interface ListOldDataRequest__Output {
  'before': (_google_protobuf_Timestamp__Output | null);
  'pageSize': (number);
  'pageToken'?: (string);
  '_pageToken'?: "pageToken";
}
