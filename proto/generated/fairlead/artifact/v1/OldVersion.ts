// Original file: fairlead/artifact/v1/artifact_service.proto


export interface OldVersion {
  'sessionId'?: (string);
  'id'?: (string);
  '_sessionId'?: "sessionId";
}

export interface OldVersion__Output {
  'sessionId'?: (string);
  'id': (string);
  '_sessionId'?: "sessionId";
}
