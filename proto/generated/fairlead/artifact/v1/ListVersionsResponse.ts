// Original file: fairlead/artifact/v1/artifact_service.proto

import type { Long } from '@grpc/proto-loader';

export interface ListVersionsResponse {
  'versions'?: (number | string | Long)[];
}

export interface ListVersionsResponse__Output {
  'versions': (number)[];
}
