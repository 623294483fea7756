// Original file: fairlead/eval/v1/eval_service.proto


export interface GetEvaluationResponse {
  'jsonChunk'?: (Buffer | Uint8Array | string);
}

export interface GetEvaluationResponse__Output {
  'jsonChunk': (Buffer);
}
