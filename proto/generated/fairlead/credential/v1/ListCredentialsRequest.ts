// Original file: fairlead/credential/v1/credential_service.proto


export interface ListCredentialsRequest {
  'userId'?: (string);
  'tenantId'?: (string);
  'appName'?: (string);
  '_appName'?: "appName";
}

export interface ListCredentialsRequest__Output {
  'userId': (string);
  'tenantId': (string);
  'appName'?: (string);
  '_appName'?: "appName";
}
