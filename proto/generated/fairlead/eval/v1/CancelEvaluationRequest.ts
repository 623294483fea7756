// Original file: fairlead/eval/v1/eval_service.proto


export interface CancelEvaluationRequest {
  'tenantId'?: (string);
  'jobId'?: (string);
}

export interface CancelEvaluationRequest__Output {
  'tenantId': (string);
  'jobId': (string);
}
