// Original file: fairlead/memory/v1/memory_service.proto


export interface MemoryScope {
  'appName'?: (string);
  'userId'?: (string);
  'tenantId'?: (string);
}

export interface MemoryScope__Output {
  'appName': (string);
  'userId': (string);
  'tenantId': (string);
}
