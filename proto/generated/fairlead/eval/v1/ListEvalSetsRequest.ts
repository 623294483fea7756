// Original file: fairlead/eval/v1/eval_service.proto


export interface ListEvalSetsRequest {
  'appName'?: (string);
  'tenantId'?: (string);
}

export interface ListEvalSetsRequest__Output {
  'appName': (string);
  'tenantId': (string);
}
