// Original file: fairlead/session/v1/session_service.proto


export interface ListSessionsRequest {
  'appName'?: (string);
  'userId'?: (string);
  'pageSize'?: (number);
  'pageToken'?: (string);
  'tenantId'?: (string);
  '_pageSize'?: "pageSize";
  '_pageToken'?: "pageToken";
}

export interface ListSessionsRequest__Output {
  'appName': (string);
  'userId': (string);
  'pageSize'?: (number);
  'pageToken'?: (string);
  'tenantId': (string);
  '_pageSize'?: "pageSize";
  '_pageToken'?: "pageToken";
}
