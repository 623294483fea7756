// Original file: fairlead/artifact/v1/artifact_service.proto


export interface DeleteDataResponse {
  'deleted'?: (number);
  'isDone'?: (boolean);
}

export interface DeleteDataResponse__Output {
  'deleted': (number);
  'isDone': (boolean);
}
