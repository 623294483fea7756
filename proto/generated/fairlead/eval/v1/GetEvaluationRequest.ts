// Original file: fairlead/eval/v1/eval_service.proto


export interface GetEvaluationRequest {
  'tenantId'?: (string);
  'jobId'?: (string);
}

export interface GetEvaluationRequest__Output {
  'tenantId': (string);
  'jobId': (string);
}
