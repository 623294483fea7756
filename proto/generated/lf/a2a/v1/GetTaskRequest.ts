// Original file: lf/a2a/v1/a2a.proto


export interface GetTaskRequest {
  'tenant'?: (string);
  'id'?: (string);
  'historyLength'?: (number);
  '_historyLength'?: "historyLength";
}

export interface GetTaskRequest__Output {
  'tenant': (string);
  'id': (string);
  'historyLength'?: (number);
  '_historyLength'?: "historyLength";
}
