// Original file: fairlead/eval/v1/eval_service.proto


export interface DeleteDataResponse {
  'deleted'?: (number);
  'isDone'?: (boolean);
}

export interface DeleteDataResponse__Output {
  'deleted': (number);
  'isDone': (boolean);
}
