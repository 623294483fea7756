// Original file: fairlead/session/v1/session_service.proto


export interface BeginDeletionRequest {
  'tenantId'?: (string);
  'userId'?: (string);
  '_userId'?: "userId";
}

export interface BeginDeletionRequest__Output {
  'tenantId': (string);
  'userId'?: (string);
  '_userId'?: "userId";
}
