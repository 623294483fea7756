// Original file: fairlead/memory/v1/memory_service.proto


export interface AddSessionResponse {
}

export interface AddSessionResponse__Output {
}
