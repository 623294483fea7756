// Original file: fairlead/eval/v1/eval_service.proto


export interface ListEvalSetResultsResponse {
  'names'?: (string)[];
}

export interface ListEvalSetResultsResponse__Output {
  'names': (string)[];
}
