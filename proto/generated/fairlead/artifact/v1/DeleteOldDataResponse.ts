// Original file: fairlead/artifact/v1/artifact_service.proto


export interface DeleteOldDataResponse {
  'deleted'?: (number);
}

export interface DeleteOldDataResponse__Output {
  'deleted': (number);
}
