// Original file: lf/a2a/v1/a2a.proto

import type { Task as _lf_a2a_v1_Task, Task__Output as _lf_a2a_v1_Task__Output } from '../../../lf/a2a/v1/Task.ts';
import type { Message as _lf_a2a_v1_Message, Message__Output as _lf_a2a_v1_Message__Output } from '../../../lf/a2a/v1/Message.ts';
import type { TaskStatusUpdateEvent as _lf_a2a_v1_TaskStatusUpdateEvent, TaskStatusUpdateEvent__Output as _lf_a2a_v1_TaskStatusUpdateEvent__Output } from '../../../lf/a2a/v1/TaskStatusUpdateEvent.ts';
import type { TaskArtifactUpdateEvent as _lf_a2a_v1_TaskArtifactUpdateEvent, TaskArtifactUpdateEvent__Output as _lf_a2a_v1_TaskArtifactUpdateEvent__Output } from '../../../lf/a2a/v1/TaskArtifactUpdateEvent.ts';

export interface StreamResponse {
  'task'?: (_lf_a2a_v1_Task | null);
  'message'?: (_lf_a2a_v1_Message | null);
  'statusUpdate'?: (_lf_a2a_v1_TaskStatusUpdateEvent | null);
  'artifactUpdate'?: (_lf_a2a_v1_TaskArtifactUpdateEvent | null);
  'payload'?: "task"|"message"|"statusUpdate"|"artifactUpdate";
}

export interface StreamResponse__Output {
  'task'?: (_lf_a2a_v1_Task__Output | null);
  'message'?: (_lf_a2a_v1_Message__Output | null);
  'statusUpdate'?: (_lf_a2a_v1_TaskStatusUpdateEvent__Output | null);
  'artifactUpdate'?: (_lf_a2a_v1_TaskArtifactUpdateEvent__Output | null);
  'payload'?: "task"|"message"|"statusUpdate"|"artifactUpdate";
}
