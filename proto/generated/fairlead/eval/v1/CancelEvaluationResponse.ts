// Original file: fairlead/eval/v1/eval_service.proto


export interface CancelEvaluationResponse {
  'jsonChunk'?: (Buffer | Uint8Array | string);
}

export interface CancelEvaluationResponse__Output {
  'jsonChunk': (Buffer);
}
