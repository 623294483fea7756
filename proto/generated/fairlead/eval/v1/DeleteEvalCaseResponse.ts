// Original file: fairlead/eval/v1/eval_service.proto


export interface DeleteEvalCaseResponse {
}

export interface DeleteEvalCaseResponse__Output {
}
