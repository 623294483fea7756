// Original file: fairlead/runner/v1/runner_service.proto


export interface CancelRunRequest {
  'runId'?: (string);
  'tenantId'?: (string);
}

export interface CancelRunRequest__Output {
  'runId': (string);
  'tenantId': (string);
}
