// Original file: fairlead/eval/v1/eval_service.proto


export interface DeleteEvaluationDataResponse {
  'deleted'?: (number);
  'isDone'?: (boolean);
}

export interface DeleteEvaluationDataResponse__Output {
  'deleted': (number);
  'isDone': (boolean);
}
