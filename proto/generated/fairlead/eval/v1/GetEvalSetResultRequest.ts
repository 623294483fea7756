// Original file: fairlead/eval/v1/eval_service.proto


export interface GetEvalSetResultRequest {
  'appName'?: (string);
  'nameOrId'?: (string);
}

export interface GetEvalSetResultRequest__Output {
  'appName': (string);
  'nameOrId': (string);
}
