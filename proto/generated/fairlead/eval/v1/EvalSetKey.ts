// Original file: fairlead/eval/v1/eval_service.proto


export interface EvalSetKey {
  'appName'?: (string);
  'evalSetId'?: (string);
  'tenantId'?: (string);
}

export interface EvalSetKey__Output {
  'appName': (string);
  'evalSetId': (string);
  'tenantId': (string);
}
