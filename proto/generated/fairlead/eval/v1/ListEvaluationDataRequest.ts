// Original file: fairlead/eval/v1/eval_service.proto


export interface ListEvaluationDataRequest {
  'tenantId'?: (string);
  'userId'?: (string);
  'pageSize'?: (number);
  'pageToken'?: (string);
  '_userId'?: "userId";
  '_pageToken'?: "pageToken";
}

export interface ListEvaluationDataRequest__Output {
  'tenantId': (string);
  'userId'?: (string);
  'pageSize': (number);
  'pageToken'?: (string);
  '_userId'?: "userId";
  '_pageToken'?: "pageToken";
}
