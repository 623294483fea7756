// Original file: fairlead/eval/v1/eval_service.proto


export interface ListEvaluationResultsResponse {
  'jsonChunk'?: (Buffer | Uint8Array | string);
}

export interface ListEvaluationResultsResponse__Output {
  'jsonChunk': (Buffer);
}
