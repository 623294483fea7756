// Original file: fairlead/session/v1/run_journal_service.proto

import type { Long } from '@grpc/proto-loader';

export interface RunningRun {
  'runId'?: (string);
  'invocationId'?: (string);
  'epoch'?: (number | string | Long);
  'attempts'?: (number);
  'baseRevision'?: (number | string | Long);
  'streamKey'?: (string);
  '_streamKey'?: "streamKey";
}

export interface RunningRun__Output {
  'runId': (string);
  'invocationId': (string);
  'epoch': (number);
  'attempts': (number);
  'baseRevision': (number);
  'streamKey'?: (string);
  '_streamKey'?: "streamKey";
}
