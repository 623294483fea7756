// Original file: fairlead/memory/v1/memory_service.proto


export interface AddMemoryEntriesResponse {
}

export interface AddMemoryEntriesResponse__Output {
}
