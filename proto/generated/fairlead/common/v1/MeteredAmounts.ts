// Original file: fairlead/common/v1/storage.proto

import type { Long } from '@grpc/proto-loader';

export interface MeteredAmounts {
  'items'?: (number | string | Long);
  'bytes'?: (number | string | Long);
}

export interface MeteredAmounts__Output {
  'items': (number);
  'bytes': (number);
}
