// Original file: fairlead/memory/v1/memory_service.proto


export interface DeleteSessionMemoryResponse {
}

export interface DeleteSessionMemoryResponse__Output {
}
