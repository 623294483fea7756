// Original file: fairlead/session/v1/run_journal_service.proto


export interface GetRunRequest {
  'runId'?: (string);
  'tenantId'?: (string);
}

export interface GetRunRequest__Output {
  'runId': (string);
  'tenantId': (string);
}
