// Original file: fairlead/session/v1/run_journal_service.proto

import type { SessionKey as _fairlead_common_v1_SessionKey, SessionKey__Output as _fairlead_common_v1_SessionKey__Output } from '../../../fairlead/common/v1/SessionKey.ts';
import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../../google/protobuf/Timestamp.ts';
import type { Long } from '@grpc/proto-loader';

export interface Lease {
  'runId'?: (string);
  'session'?: (_fairlead_common_v1_SessionKey | null);
  'holder'?: (string);
  'epoch'?: (number | string | Long);
  'expiresAt'?: (_google_protobuf_Timestamp | null);
}

export interface Lease__Output {
  'runId': (string);
  'session': (_fairlead_common_v1_SessionKey__Output | null);
  'holder': (string);
  'epoch': (number);
  'expiresAt': (_google_protobuf_Timestamp__Output | null);
}
