// Original file: fairlead/session/v1/session_service.proto


export interface CloseSessionResponse {
  'isClosed'?: (boolean);
}

export interface CloseSessionResponse__Output {
  'isClosed': (boolean);
}
