// Original file: fairlead/session/v1/session_service.proto


export interface ListDeletionsRequest {
}

export interface ListDeletionsRequest__Output {
}
