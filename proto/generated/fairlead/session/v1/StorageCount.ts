// Original file: fairlead/session/v1/session_service.proto


export interface StorageCount {
  'tenantId'?: (string);
  'scope'?: (string);
  'name'?: (string);
}

export interface StorageCount__Output {
  'tenantId': (string);
  'scope': (string);
  'name': (string);
}
