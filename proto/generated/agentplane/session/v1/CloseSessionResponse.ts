// Original file: agentplane/session/v1/session_service.proto


export interface CloseSessionResponse {
}

export interface CloseSessionResponse__Output {
}
