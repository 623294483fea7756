// Original file: lf/a2a/v1/a2a.proto

import type { Struct as _google_protobuf_Struct, Struct__Output as _google_protobuf_Struct__Output } from '../../../google/protobuf/Struct.ts';

export interface AgentCardSignature {
  'protected'?: (string);
  'signature'?: (string);
  'header'?: (_google_protobuf_Struct | null);
}

export interface AgentCardSignature__Output {
  'protected': (string);
  'signature': (string);
  'header': (_google_protobuf_Struct__Output | null);
}
