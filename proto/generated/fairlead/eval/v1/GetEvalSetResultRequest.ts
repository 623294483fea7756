// Original file: fairlead/eval/v1/eval_service.proto


export interface GetEvalSetResultRequest {
  'appName'?: (string);
  'nameOrId'?: (string);
  'tenantId'?: (string);
}

export interface GetEvalSetResultRequest__Output {
  'appName': (string);
  'nameOrId': (string);
  'tenantId': (string);
}
