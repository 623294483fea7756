// Original file: fairlead/session/v1/session_service.proto


export interface DeleteDataResponse {
  'deleted'?: (number);
  'isDone'?: (boolean);
}

export interface DeleteDataResponse__Output {
  'deleted': (number);
  'isDone': (boolean);
}
