// Original file: fairlead/eval/v1/eval_service.proto


export interface WatchEvaluationRequest {
  'tenantId'?: (string);
  'jobId'?: (string);
  'afterSequence'?: (number);
}

export interface WatchEvaluationRequest__Output {
  'tenantId': (string);
  'jobId': (string);
  'afterSequence': (number);
}
