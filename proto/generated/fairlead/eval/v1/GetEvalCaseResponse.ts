// Original file: fairlead/eval/v1/eval_service.proto


export interface GetEvalCaseResponse {
  'jsonChunk'?: (Buffer | Uint8Array | string);
}

export interface GetEvalCaseResponse__Output {
  'jsonChunk': (Buffer);
}
