// Original file: fairlead/eval/v1/eval_service.proto


export interface DescribeEvaluationsResponse {
  'judgeModels'?: (string)[];
}

export interface DescribeEvaluationsResponse__Output {
  'judgeModels': (string)[];
}
