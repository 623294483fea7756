// Original file: fairlead/eval/v1/eval_service.proto


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
