// Original file: fairlead/eval/v1/eval_service.proto


export interface ListEvaluationCasesRequest {
  'tenantId'?: (string);
  'jobId'?: (string);
  'afterIndex'?: (number);
  'pageSize'?: (number);
  '_afterIndex'?: "afterIndex";
  '_pageSize'?: "pageSize";
}

export interface ListEvaluationCasesRequest__Output {
  'tenantId': (string);
  'jobId': (string);
  'afterIndex'?: (number);
  'pageSize'?: (number);
  '_afterIndex'?: "afterIndex";
  '_pageSize'?: "pageSize";
}
