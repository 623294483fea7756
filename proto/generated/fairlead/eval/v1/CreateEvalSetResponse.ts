// Original file: fairlead/eval/v1/eval_service.proto


export interface CreateEvalSetResponse {
  'jsonChunk'?: (Buffer | Uint8Array | string);
}

export interface CreateEvalSetResponse__Output {
  'jsonChunk': (Buffer);
}
