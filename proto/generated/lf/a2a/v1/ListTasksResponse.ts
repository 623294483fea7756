// Original file: lf/a2a/v1/a2a.proto

import type { Task as _lf_a2a_v1_Task, Task__Output as _lf_a2a_v1_Task__Output } from '../../../lf/a2a/v1/Task.ts';

export interface ListTasksResponse {
  'tasks'?: (_lf_a2a_v1_Task)[];
  'nextPageToken'?: (string);
  'pageSize'?: (number);
  'totalSize'?: (number);
}

export interface ListTasksResponse__Output {
  'tasks': (_lf_a2a_v1_Task__Output)[];
  'nextPageToken': (string);
  'pageSize': (number);
  'totalSize': (number);
}
