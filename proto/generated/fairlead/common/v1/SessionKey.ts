// Original file: fairlead/common/v1/session_key.proto


export interface SessionKey {
  'appName'?: (string);
  'userId'?: (string);
  'id'?: (string);
  'tenantId'?: (string);
}

export interface SessionKey__Output {
  'appName': (string);
  'userId': (string);
  'id': (string);
  'tenantId': (string);
}
