// Original file: lf/a2a/v1/a2a.proto

import type { TaskState as _lf_a2a_v1_TaskState, TaskState__Output as _lf_a2a_v1_TaskState__Output } from '../../../lf/a2a/v1/TaskState.ts';
import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../../google/protobuf/Timestamp.ts';

export interface ListTasksRequest {
  'tenant'?: (string);
  'contextId'?: (string);
  'status'?: (_lf_a2a_v1_TaskState);
  'pageSize'?: (number);
  'pageToken'?: (string);
  'historyLength'?: (number);
  'statusTimestampAfter'?: (_google_protobuf_Timestamp | null);
  'includeArtifacts'?: (boolean);
  '_pageSize'?: "pageSize";
  '_historyLength'?: "historyLength";
  '_includeArtifacts'?: "includeArtifacts";
}

export interface ListTasksRequest__Output {
  'tenant': (string);
  'contextId': (string);
  'status': (_lf_a2a_v1_TaskState__Output);
  'pageSize'?: (number);
  'pageToken': (string);
  'historyLength'?: (number);
  'statusTimestampAfter': (_google_protobuf_Timestamp__Output | null);
  'includeArtifacts'?: (boolean);
  '_pageSize'?: "pageSize";
  '_historyLength'?: "historyLength";
  '_includeArtifacts'?: "includeArtifacts";
}
