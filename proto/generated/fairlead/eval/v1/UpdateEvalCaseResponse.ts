// Original file: fairlead/eval/v1/eval_service.proto


export interface UpdateEvalCaseResponse {
}

export interface UpdateEvalCaseResponse__Output {
}
