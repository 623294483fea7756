// Original file: fairlead/eval/v1/eval_service.proto


export interface SaveEvalSetResultResponse {
}

export interface SaveEvalSetResultResponse__Output {
}
