// Original file: fairlead/runner/v1/runner_service.proto


export interface CancelRunRequest {
  'runId'?: (string);
}

export interface CancelRunRequest__Output {
  'runId': (string);
}
