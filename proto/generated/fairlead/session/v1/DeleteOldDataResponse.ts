// Original file: fairlead/session/v1/session_service.proto


export interface DeleteOldDataResponse {
  'deleted'?: (number);
}

export interface DeleteOldDataResponse__Output {
  'deleted': (number);
}
