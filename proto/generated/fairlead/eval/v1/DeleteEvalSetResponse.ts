// Original file: fairlead/eval/v1/eval_service.proto


export interface DeleteEvalSetResponse {
}

export interface DeleteEvalSetResponse__Output {
}
