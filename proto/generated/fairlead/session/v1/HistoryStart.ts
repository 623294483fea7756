// Original file: fairlead/session/v1/run_journal_service.proto

import type { Long } from '@grpc/proto-loader';

export interface HistoryStart {
  'from'?: (number | string | Long);
  'earlier'?: (number | string | Long)[];
}

export interface HistoryStart__Output {
  'from': (number);
  'earlier': (number)[];
}
