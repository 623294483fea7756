// Original file: fairlead/eval/v1/eval_service.proto


export interface ListEvalSetsResponse {
  'evalSetIds'?: (string)[];
}

export interface ListEvalSetsResponse__Output {
  'evalSetIds': (string)[];
}
