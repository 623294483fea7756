// Original file: agentplane/session/v1/run_journal_service.proto


export interface AppendFailure {
  'reason'?: (string);
  'message'?: (string);
  'details'?: ({[key: string]: string});
}

export interface AppendFailure__Output {
  'reason': (string);
  'message': (string);
  'details': ({[key: string]: string});
}
