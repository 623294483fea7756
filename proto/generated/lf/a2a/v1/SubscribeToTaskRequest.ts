// Original file: lf/a2a/v1/a2a.proto


export interface SubscribeToTaskRequest {
  'tenant'?: (string);
  'id'?: (string);
}

export interface SubscribeToTaskRequest__Output {
  'tenant': (string);
  'id': (string);
}
