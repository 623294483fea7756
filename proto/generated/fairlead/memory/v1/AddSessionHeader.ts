// Original file: fairlead/memory/v1/memory_service.proto

import type { SessionKey as _fairlead_common_v1_SessionKey, SessionKey__Output as _fairlead_common_v1_SessionKey__Output } from '../../../fairlead/common/v1/SessionKey.ts';
import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../../google/protobuf/Timestamp.ts';
import type { Long } from '@grpc/proto-loader';

export interface AddSessionHeader {
  'session'?: (_fairlead_common_v1_SessionKey | null);
  'lastUpdateTime'?: (_google_protobuf_Timestamp | null);
  'revision'?: (number | string | Long);
}

export interface AddSessionHeader__Output {
  'session': (_fairlead_common_v1_SessionKey__Output | null);
  'lastUpdateTime': (_google_protobuf_Timestamp__Output | null);
  'revision': (number);
}
