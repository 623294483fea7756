// Original file: fairlead/eval/v1/eval_service.proto


export interface ListEvaluationCasesResponse {
  'jsonChunk'?: (Buffer | Uint8Array | string);
}

export interface ListEvaluationCasesResponse__Output {
  'jsonChunk': (Buffer);
}
