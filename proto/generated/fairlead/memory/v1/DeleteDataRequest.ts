// Original file: fairlead/memory/v1/memory_service.proto


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
