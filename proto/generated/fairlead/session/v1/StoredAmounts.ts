// Original file: fairlead/session/v1/session_service.proto

import type { Long } from '@grpc/proto-loader';

export interface StoredAmounts {
  'sessions'?: (number | string | Long);
  'storedBytes'?: (number | string | Long);
}

export interface StoredAmounts__Output {
  'sessions': (number);
  'storedBytes': (number);
}
