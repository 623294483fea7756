// Original file: fairlead/session/v1/session_service.proto


export interface CreateSessionHeader {
  'appName'?: (string);
  'userId'?: (string);
  'id'?: (string);
  'stateJson'?: (Buffer | Uint8Array | string);
  'tenantId'?: (string);
  '_id'?: "id";
  '_stateJson'?: "stateJson";
}

export interface CreateSessionHeader__Output {
  'appName': (string);
  'userId': (string);
  'id'?: (string);
  'stateJson'?: (Buffer);
  'tenantId': (string);
  '_id'?: "id";
  '_stateJson'?: "stateJson";
}
