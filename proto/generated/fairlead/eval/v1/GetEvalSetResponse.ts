// Original file: fairlead/eval/v1/eval_service.proto


export interface GetEvalSetResponse {
  'jsonChunk'?: (Buffer | Uint8Array | string);
}

export interface GetEvalSetResponse__Output {
  'jsonChunk': (Buffer);
}
