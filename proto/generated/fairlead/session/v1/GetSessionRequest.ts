// Original file: fairlead/session/v1/session_service.proto

import type { SessionKey as _fairlead_common_v1_SessionKey, SessionKey__Output as _fairlead_common_v1_SessionKey__Output } from '../../../fairlead/common/v1/SessionKey.ts';
import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../../google/protobuf/Timestamp.ts';
import type { Long } from '@grpc/proto-loader';

export interface GetSessionRequest {
  'key'?: (_fairlead_common_v1_SessionKey | null);
  'numRecentEvents'?: (number);
  'afterTimestamp'?: (_google_protobuf_Timestamp | null);
  'afterRevision'?: (number | string | Long);
  '_numRecentEvents'?: "numRecentEvents";
  '_afterRevision'?: "afterRevision";
}

export interface GetSessionRequest__Output {
  'key': (_fairlead_common_v1_SessionKey__Output | null);
  'numRecentEvents'?: (number);
  'afterTimestamp': (_google_protobuf_Timestamp__Output | null);
  'afterRevision'?: (number);
  '_numRecentEvents'?: "numRecentEvents";
  '_afterRevision'?: "afterRevision";
}
