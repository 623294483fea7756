// Original file: fairlead/session/v1/session_service.proto

import type { SessionKey as _fairlead_common_v1_SessionKey, SessionKey__Output as _fairlead_common_v1_SessionKey__Output } from '../../../fairlead/common/v1/SessionKey.ts';
import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../../google/protobuf/Timestamp.ts';
import type { Long } from '@grpc/proto-loader';

export interface ListEventsRequest {
  'key'?: (_fairlead_common_v1_SessionKey | null);
  'afterRevision'?: (number | string | Long);
  'pageSize'?: (number);
  'pageToken'?: (string);
  'fromHistoryStart'?: (boolean);
  'afterTimestamp'?: (_google_protobuf_Timestamp | null);
  'maxCharacters'?: (number | string | Long);
  'maxEventCharacters'?: (number | string | Long);
  '_afterRevision'?: "afterRevision";
  '_pageSize'?: "pageSize";
  '_pageToken'?: "pageToken";
  '_maxCharacters'?: "maxCharacters";
  '_maxEventCharacters'?: "maxEventCharacters";
}

export interface ListEventsRequest__Output {
  'key': (_fairlead_common_v1_SessionKey__Output | null);
  'afterRevision'?: (number);
  'pageSize'?: (number);
  'pageToken'?: (string);
  'fromHistoryStart': (boolean);
  'afterTimestamp': (_google_protobuf_Timestamp__Output | null);
  'maxCharacters'?: (number);
  'maxEventCharacters'?: (number);
  '_afterRevision'?: "afterRevision";
  '_pageSize'?: "pageSize";
  '_pageToken'?: "pageToken";
  '_maxCharacters'?: "maxCharacters";
  '_maxEventCharacters'?: "maxEventCharacters";
}
