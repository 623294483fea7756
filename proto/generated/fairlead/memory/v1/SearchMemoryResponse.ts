// Original file: fairlead/memory/v1/memory_service.proto


export interface SearchMemoryResponse {
  'memoriesJson'?: (Buffer | Uint8Array | string)[];
}

export interface SearchMemoryResponse__Output {
  'memoriesJson': (Buffer)[];
}
