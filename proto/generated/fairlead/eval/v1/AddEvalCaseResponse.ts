// Original file: fairlead/eval/v1/eval_service.proto


export interface AddEvalCaseResponse {
}

export interface AddEvalCaseResponse__Output {
}
