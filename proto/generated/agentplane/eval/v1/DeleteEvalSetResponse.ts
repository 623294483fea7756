// Original file: agentplane/eval/v1/eval_service.proto


export interface DeleteEvalSetResponse {
}

export interface DeleteEvalSetResponse__Output {
}
