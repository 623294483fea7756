// Original file: fairlead/session/v1/session_service.proto


export interface CloseSessionResponse {
}

export interface CloseSessionResponse__Output {
}
