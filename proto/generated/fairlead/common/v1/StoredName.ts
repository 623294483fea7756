// Original file: fairlead/common/v1/storage.proto


export interface StoredName {
  'tenantId'?: (string);
  'scope'?: (string);
  'name'?: (string);
}

export interface StoredName__Output {
  'tenantId': (string);
  'scope': (string);
  'name': (string);
}
