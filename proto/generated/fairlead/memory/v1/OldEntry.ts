// Original file: fairlead/memory/v1/memory_service.proto


export interface OldEntry {
  'sessionId'?: (string);
  'id'?: (string);
  '_sessionId'?: "sessionId";
}

export interface OldEntry__Output {
  'sessionId'?: (string);
  'id': (string);
  '_sessionId'?: "sessionId";
}
