// Original file: fairlead/session/v1/session_service.proto

import type { SessionKey as _fairlead_common_v1_SessionKey, SessionKey__Output as _fairlead_common_v1_SessionKey__Output } from '../../../fairlead/common/v1/SessionKey.ts';
import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../../google/protobuf/Timestamp.ts';
import type { Long } from '@grpc/proto-loader';

export interface Session {
  'key'?: (_fairlead_common_v1_SessionKey | null);
  'stateJson'?: (Buffer | Uint8Array | string);
  'lastUpdateTime'?: (_google_protobuf_Timestamp | null);
  'revision'?: (number | string | Long);
  'closedTime'?: (_google_protobuf_Timestamp | null);
}

export interface Session__Output {
  'key': (_fairlead_common_v1_SessionKey__Output | null);
  'stateJson': (Buffer);
  'lastUpdateTime': (_google_protobuf_Timestamp__Output | null);
  'revision': (number);
  'closedTime': (_google_protobuf_Timestamp__Output | null);
}
