// Original file: lf/a2a/v1/a2a.proto

import type { TaskState as _lf_a2a_v1_TaskState, TaskState__Output as _lf_a2a_v1_TaskState__Output } from '../../../lf/a2a/v1/TaskState.ts';
import type { Message as _lf_a2a_v1_Message, Message__Output as _lf_a2a_v1_Message__Output } from '../../../lf/a2a/v1/Message.ts';
import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../../google/protobuf/Timestamp.ts';

export interface TaskStatus {
  'state'?: (_lf_a2a_v1_TaskState);
  'message'?: (_lf_a2a_v1_Message | null);
  'timestamp'?: (_google_protobuf_Timestamp | null);
}

export interface TaskStatus__Output {
  'state': (_lf_a2a_v1_TaskState__Output);
  'message': (_lf_a2a_v1_Message__Output | null);
  'timestamp': (_google_protobuf_Timestamp__Output | null);
}
