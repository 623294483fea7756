// Original file: fairlead/eval/v1/eval_service.proto


export interface DeleteEvaluationDataRequest {
  'tenantId'?: (string);
  'userId'?: (string);
  'limit'?: (number);
  '_userId'?: "userId";
}

export interface DeleteEvaluationDataRequest__Output {
  'tenantId': (string);
  'userId'?: (string);
  'limit': (number);
  '_userId'?: "userId";
}
