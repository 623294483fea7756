// Original file: fairlead/eval/v1/eval_service.proto


export interface ListEvalCasesResponse {
  'evalIds'?: (string)[];
}

export interface ListEvalCasesResponse__Output {
  'evalIds': (string)[];
}
