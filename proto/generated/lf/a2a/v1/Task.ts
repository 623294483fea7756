// Original file: lf/a2a/v1/a2a.proto

import type { TaskStatus as _lf_a2a_v1_TaskStatus, TaskStatus__Output as _lf_a2a_v1_TaskStatus__Output } from '../../../lf/a2a/v1/TaskStatus.ts';
import type { Artifact as _lf_a2a_v1_Artifact, Artifact__Output as _lf_a2a_v1_Artifact__Output } from '../../../lf/a2a/v1/Artifact.ts';
import type { Message as _lf_a2a_v1_Message, Message__Output as _lf_a2a_v1_Message__Output } from '../../../lf/a2a/v1/Message.ts';
import type { Struct as _google_protobuf_Struct, Struct__Output as _google_protobuf_Struct__Output } from '../../../google/protobuf/Struct.ts';

export interface Task {
  'id'?: (string);
  'contextId'?: (string);
  'status'?: (_lf_a2a_v1_TaskStatus | null);
  'artifacts'?: (_lf_a2a_v1_Artifact)[];
  'history'?: (_lf_a2a_v1_Message)[];
  'metadata'?: (_google_protobuf_Struct | null);
}

export interface Task__Output {
  'id': (string);
  'contextId': (string);
  'status': (_lf_a2a_v1_TaskStatus__Output | null);
  'artifacts': (_lf_a2a_v1_Artifact__Output)[];
  'history': (_lf_a2a_v1_Message__Output)[];
  'metadata': (_google_protobuf_Struct__Output | null);
}
