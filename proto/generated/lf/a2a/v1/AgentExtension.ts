// Original file: lf/a2a/v1/a2a.proto

import type { Struct as _google_protobuf_Struct, Struct__Output as _google_protobuf_Struct__Output } from '../../../google/protobuf/Struct.ts';

export interface AgentExtension {
  'uri'?: (string);
  'description'?: (string);
  'required'?: (boolean);
  'params'?: (_google_protobuf_Struct | null);
}

export interface AgentExtension__Output {
  'uri': (string);
  'description': (string);
  'required': (boolean);
  'params': (_google_protobuf_Struct__Output | null);
}
