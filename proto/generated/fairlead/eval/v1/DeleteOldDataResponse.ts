// Original file: fairlead/eval/v1/eval_service.proto


export interface DeleteOldDataResponse {
  'deleted'?: (number);
}

export interface DeleteOldDataResponse__Output {
  'deleted': (number);
}
