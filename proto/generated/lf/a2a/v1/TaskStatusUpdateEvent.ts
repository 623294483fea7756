// Original file: lf/a2a/v1/a2a.proto

import type { TaskStatus as _lf_a2a_v1_TaskStatus, TaskStatus__Output as _lf_a2a_v1_TaskStatus__Output } from '../../../lf/a2a/v1/TaskStatus.ts';
import type { Struct as _google_protobuf_Struct, Struct__Output as _google_protobuf_Struct__Output } from '../../../google/protobuf/Struct.ts';

export interface TaskStatusUpdateEvent {
  'taskId'?: (string);
  'contextId'?: (string);
  'status'?: (_lf_a2a_v1_TaskStatus | null);
  'metadata'?: (_google_protobuf_Struct | null);
}

export interface TaskStatusUpdateEvent__Output {
  'taskId': (string);
  'contextId': (string);
  'status': (_lf_a2a_v1_TaskStatus__Output | null);
  'metadata': (_google_protobuf_Struct__Output | null);
}
