// Original file: agentplane/session/v1/run_journal_service.proto


export interface PipedFailure {
  'reason'?: (string);
  'message'?: (string);
  'details'?: ({[key: string]: string});
}

export interface PipedFailure__Output {
  'reason': (string);
  'message': (string);
  'details': ({[key: string]: string});
}
