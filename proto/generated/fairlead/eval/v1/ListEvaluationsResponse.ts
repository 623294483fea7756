// Original file: fairlead/eval/v1/eval_service.proto


export interface ListEvaluationsResponse {
  'jsonChunk'?: (Buffer | Uint8Array | string);
}

export interface ListEvaluationsResponse__Output {
  'jsonChunk': (Buffer);
}
