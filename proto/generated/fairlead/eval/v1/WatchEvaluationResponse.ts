// Original file: fairlead/eval/v1/eval_service.proto


export interface WatchEvaluationResponse {
  'json'?: (Buffer | Uint8Array | string);
}

export interface WatchEvaluationResponse__Output {
  'json': (Buffer);
}
