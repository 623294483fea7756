// Original file: fairlead/memory/v1/memory_service.proto


export interface ListDataRequest {
  'tenantId'?: (string);
  'userId'?: (string);
  'pageSize'?: (number);
  'pageToken'?: (string);
  '_userId'?: "userId";
  '_pageToken'?: "pageToken";
}

export interface ListDataRequest__Output {
  'tenantId': (string);
  'userId'?: (string);
  'pageSize': (number);
  'pageToken'?: (string);
  '_userId'?: "userId";
  '_pageToken'?: "pageToken";
}
