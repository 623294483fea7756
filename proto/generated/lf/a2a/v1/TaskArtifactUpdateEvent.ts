// Original file: lf/a2a/v1/a2a.proto

import type { Artifact as _lf_a2a_v1_Artifact, Artifact__Output as _lf_a2a_v1_Artifact__Output } from '../../../lf/a2a/v1/Artifact.ts';
import type { Struct as _google_protobuf_Struct, Struct__Output as _google_protobuf_Struct__Output } from '../../../google/protobuf/Struct.ts';

export interface TaskArtifactUpdateEvent {
  'taskId'?: (string);
  'contextId'?: (string);
  'artifact'?: (_lf_a2a_v1_Artifact | null);
  'append'?: (boolean);
  'lastChunk'?: (boolean);
  'metadata'?: (_google_protobuf_Struct | null);
}

export interface TaskArtifactUpdateEvent__Output {
  'taskId': (string);
  'contextId': (string);
  'artifact': (_lf_a2a_v1_Artifact__Output | null);
  'append': (boolean);
  'lastChunk': (boolean);
  'metadata': (_google_protobuf_Struct__Output | null);
}
