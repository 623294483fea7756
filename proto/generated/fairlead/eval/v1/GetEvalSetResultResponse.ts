// Original file: fairlead/eval/v1/eval_service.proto


export interface GetEvalSetResultResponse {
  'jsonChunk'?: (Buffer | Uint8Array | string);
}

export interface GetEvalSetResultResponse__Output {
  'jsonChunk': (Buffer);
}
