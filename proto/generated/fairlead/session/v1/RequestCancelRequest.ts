// Original file: fairlead/session/v1/run_journal_service.proto


export interface RequestCancelRequest {
  'runId'?: (string);
  'tenantId'?: (string);
}

export interface RequestCancelRequest__Output {
  'runId': (string);
  'tenantId': (string);
}
