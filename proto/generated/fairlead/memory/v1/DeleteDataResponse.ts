// Original file: fairlead/memory/v1/memory_service.proto


export interface DeleteDataResponse {
  'deleted'?: (number);
  'isDone'?: (boolean);
}

export interface DeleteDataResponse__Output {
  'deleted': (number);
  'isDone': (boolean);
}
