// Original file: fairlead/session/v1/session_service.proto

import type { SessionKey as _fairlead_common_v1_SessionKey, SessionKey__Output as _fairlead_common_v1_SessionKey__Output } from '../../../fairlead/common/v1/SessionKey.ts';
import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../../google/protobuf/Timestamp.ts';

export interface IdleSession {
  'key'?: (_fairlead_common_v1_SessionKey | null);
  'updateTime'?: (_google_protobuf_Timestamp | null);
}

export interface IdleSession__Output {
  'key': (_fairlead_common_v1_SessionKey__Output | null);
  'updateTime': (_google_protobuf_Timestamp__Output | null);
}
