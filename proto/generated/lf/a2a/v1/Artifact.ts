// Original file: lf/a2a/v1/a2a.proto

import type { Part as _lf_a2a_v1_Part, Part__Output as _lf_a2a_v1_Part__Output } from '../../../lf/a2a/v1/Part.ts';
import type { Struct as _google_protobuf_Struct, Struct__Output as _google_protobuf_Struct__Output } from '../../../google/protobuf/Struct.ts';

export interface Artifact {
  'artifactId'?: (string);
  'name'?: (string);
  'description'?: (string);
  'parts'?: (_lf_a2a_v1_Part)[];
  'metadata'?: (_google_protobuf_Struct | null);
  'extensions'?: (string)[];
}

export interface Artifact__Output {
  'artifactId': (string);
  'name': (string);
  'description': (string);
  'parts': (_lf_a2a_v1_Part__Output)[];
  'metadata': (_google_protobuf_Struct__Output | null);
  'extensions': (string)[];
}
