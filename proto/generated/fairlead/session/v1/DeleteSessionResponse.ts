// Original file: fairlead/session/v1/session_service.proto


export interface DeleteSessionResponse {
}

export interface DeleteSessionResponse__Output {
}
