// Original file: fairlead/credential/v1/credential_service.proto


export interface DeleteDataResponse {
  'deleted'?: (number);
  'isDone'?: (boolean);
}

export interface DeleteDataResponse__Output {
  'deleted': (number);
  'isDone': (boolean);
}
