// Original file: lf/a2a/v1/a2a.proto

import type { Task as _lf_a2a_v1_Task, Task__Output as _lf_a2a_v1_Task__Output } from '../../../lf/a2a/v1/Task.ts';
import type { Message as _lf_a2a_v1_Message, Message__Output as _lf_a2a_v1_Message__Output } from '../../../lf/a2a/v1/Message.ts';

export interface SendMessageResponse {
  'task'?: (_lf_a2a_v1_Task | null);
  'message'?: (_lf_a2a_v1_Message | null);
  'payload'?: "task"|"message";
}

export interface SendMessageResponse__Output {
  'task'?: (_lf_a2a_v1_Task__Output | null);
  'message'?: (_lf_a2a_v1_Message__Output | null);
  'payload'?: "task"|"message";
}
