// Original file: fairlead/session/v1/run_journal_service.proto

import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../../google/protobuf/Timestamp.ts';
import type { Long } from '@grpc/proto-loader';

export interface SessionSnapshot {
  'incarnation'?: (string);
  'revision'?: (number | string | Long);
  'complete'?: (boolean);
  'stateJson'?: (Buffer | Uint8Array | string);
  'lastUpdateTime'?: (_google_protobuf_Timestamp | null);
}

export interface SessionSnapshot__Output {
  'incarnation': (string);
  'revision': (number);
  'complete': (boolean);
  'stateJson': (Buffer);
  'lastUpdateTime': (_google_protobuf_Timestamp__Output | null);
}
