// Original file: fairlead/session/v1/session_service.proto


export interface EndDeletionRequest {
  'tenantId'?: (string);
  'userId'?: (string);
  '_userId'?: "userId";
}

export interface EndDeletionRequest__Output {
  'tenantId': (string);
  'userId'?: (string);
  '_userId'?: "userId";
}
