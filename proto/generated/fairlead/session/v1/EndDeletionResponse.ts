// Original file: fairlead/session/v1/session_service.proto


export interface EndDeletionResponse {
}

export interface EndDeletionResponse__Output {
}
