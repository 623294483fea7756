// Original file: fairlead/eval/v1/eval_service.proto


export interface ListEvalSetResultsRequest {
  'appName'?: (string);
  'tenantId'?: (string);
  'after'?: (string);
  '_after'?: "after";
}

export interface ListEvalSetResultsRequest__Output {
  'appName': (string);
  'tenantId': (string);
  'after'?: (string);
  '_after'?: "after";
}
