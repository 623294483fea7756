// Original file: fairlead/common/v1/event.proto

import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../../google/protobuf/Timestamp.ts';
import type { Long } from '@grpc/proto-loader';

export interface Event {
  'id'?: (string);
  'invocationId'?: (string);
  'author'?: (string);
  'timestamp'?: (_google_protobuf_Timestamp | null);
  'partial'?: (boolean);
  'sequence'?: (number | string | Long);
  'json'?: (Buffer | Uint8Array | string);
  'stateDeltaJson'?: (Buffer | Uint8Array | string);
  'outside'?: (boolean);
  '_stateDeltaJson'?: "stateDeltaJson";
}

export interface Event__Output {
  'id': (string);
  'invocationId': (string);
  'author': (string);
  'timestamp': (_google_protobuf_Timestamp__Output | null);
  'partial': (boolean);
  'sequence': (number);
  'json': (Buffer);
  'stateDeltaJson'?: (Buffer);
  'outside': (boolean);
  '_stateDeltaJson'?: "stateDeltaJson";
}
