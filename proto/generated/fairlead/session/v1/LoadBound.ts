// Original file: fairlead/session/v1/run_journal_service.proto

import type { Long } from '@grpc/proto-loader';

export interface LoadBound {
  'from'?: (number | string | Long);
  'earlier'?: (number | string | Long)[];
}

export interface LoadBound__Output {
  'from': (number);
  'earlier': (number)[];
}
