// Original file: fairlead/session/v1/session_service.proto

import type { Long } from '@grpc/proto-loader';

export interface ListSessionsRequest {
  'appName'?: (string);
  'userId'?: (string);
  'pageSize'?: (number);
  'pageToken'?: (string);
  'tenantId'?: (string);
  'maxCharacters'?: (number | string | Long);
  '_pageSize'?: "pageSize";
  '_pageToken'?: "pageToken";
  '_maxCharacters'?: "maxCharacters";
}

export interface ListSessionsRequest__Output {
  'appName': (string);
  'userId': (string);
  'pageSize'?: (number);
  'pageToken'?: (string);
  'tenantId': (string);
  'maxCharacters'?: (number);
  '_pageSize'?: "pageSize";
  '_pageToken'?: "pageToken";
  '_maxCharacters'?: "maxCharacters";
}
