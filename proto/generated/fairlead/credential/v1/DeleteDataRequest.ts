// Original file: fairlead/credential/v1/credential_service.proto


export interface DeleteDataRequest {
  'tenantId'?: (string);
  'userId'?: (string);
  'limit'?: (number);
  '_userId'?: "userId";
}

export interface DeleteDataRequest__Output {
  'tenantId': (string);
  'userId'?: (string);
  'limit': (number);
  '_userId'?: "userId";
}
