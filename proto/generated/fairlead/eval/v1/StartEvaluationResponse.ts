// Original file: fairlead/eval/v1/eval_service.proto


export interface StartEvaluationResponse {
  'jsonChunk'?: (Buffer | Uint8Array | string);
}

export interface StartEvaluationResponse__Output {
  'jsonChunk': (Buffer);
}
