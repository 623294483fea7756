// Original file: fairlead/eval/v1/eval_service.proto

import type { Long } from '@grpc/proto-loader';

export interface GetEvalSetResultRequest {
  'appName'?: (string);
  'nameOrId'?: (string);
  'tenantId'?: (string);
  'maxBytes'?: (number | string | Long);
  '_maxBytes'?: "maxBytes";
}

export interface GetEvalSetResultRequest__Output {
  'appName': (string);
  'nameOrId': (string);
  'tenantId': (string);
  'maxBytes'?: (number);
  '_maxBytes'?: "maxBytes";
}
