// Original file: fairlead/credential/v1/credential_service.proto


export interface CredentialOwner {
  'appName'?: (string);
  'userId'?: (string);
  'tenantId'?: (string);
}

export interface CredentialOwner__Output {
  'appName': (string);
  'userId': (string);
  'tenantId': (string);
}
