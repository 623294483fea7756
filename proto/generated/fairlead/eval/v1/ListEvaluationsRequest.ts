// Original file: fairlead/eval/v1/eval_service.proto


export interface ListEvaluationsRequest {
  'tenantId'?: (string);
  'appName'?: (string);
  'evalSetId'?: (string);
  'userId'?: (string);
  'statuses'?: (string)[];
  'pageSize'?: (number);
  'pageToken'?: (string);
  '_appName'?: "appName";
  '_evalSetId'?: "evalSetId";
  '_userId'?: "userId";
  '_pageSize'?: "pageSize";
  '_pageToken'?: "pageToken";
}

export interface ListEvaluationsRequest__Output {
  'tenantId': (string);
  'appName'?: (string);
  'evalSetId'?: (string);
  'userId'?: (string);
  'statuses': (string)[];
  'pageSize'?: (number);
  'pageToken'?: (string);
  '_appName'?: "appName";
  '_evalSetId'?: "evalSetId";
  '_userId'?: "userId";
  '_pageSize'?: "pageSize";
  '_pageToken'?: "pageToken";
}
