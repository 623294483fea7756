// Original file: fairlead/session/v1/run_journal_service.proto


export interface SignGrantResponse {
  'grant'?: (string);
}

export interface SignGrantResponse__Output {
  'grant': (string);
}
