// Original file: fairlead/eval/v1/eval_service.proto


export interface DescribeEvaluationsRequest {
}

export interface DescribeEvaluationsRequest__Output {
}
