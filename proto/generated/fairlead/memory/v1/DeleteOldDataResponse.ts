// Original file: fairlead/memory/v1/memory_service.proto


export interface DeleteOldDataResponse {
  'deleted'?: (number);
}

export interface DeleteOldDataResponse__Output {
  'deleted': (number);
}
