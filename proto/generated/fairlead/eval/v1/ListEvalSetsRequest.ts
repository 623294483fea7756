// Original file: fairlead/eval/v1/eval_service.proto


export interface ListEvalSetsRequest {
  'appName'?: (string);
  'tenantId'?: (string);
  'after'?: (string);
  '_after'?: "after";
}

export interface ListEvalSetsRequest__Output {
  'appName': (string);
  'tenantId': (string);
  'after'?: (string);
  '_after'?: "after";
}
