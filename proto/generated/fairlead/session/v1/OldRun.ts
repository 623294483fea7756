// Original file: fairlead/session/v1/session_service.proto


export interface OldRun {
  'sessionId'?: (string);
  'id'?: (string);
}

export interface OldRun__Output {
  'sessionId': (string);
  'id': (string);
}
