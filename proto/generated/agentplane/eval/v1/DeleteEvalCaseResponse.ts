// Original file: agentplane/eval/v1/eval_service.proto


export interface DeleteEvalCaseResponse {
}

export interface DeleteEvalCaseResponse__Output {
}
