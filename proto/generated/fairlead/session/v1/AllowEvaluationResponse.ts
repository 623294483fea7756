// Original file: fairlead/session/v1/session_service.proto


export interface AllowEvaluationResponse {
  'permit'?: (string);
}

export interface AllowEvaluationResponse__Output {
  'permit': (string);
}
