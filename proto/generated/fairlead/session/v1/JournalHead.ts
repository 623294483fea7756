// Original file: fairlead/session/v1/run_journal_service.proto

import type { RunningRun as _fairlead_session_v1_RunningRun, RunningRun__Output as _fairlead_session_v1_RunningRun__Output } from '../../../fairlead/session/v1/RunningRun.ts';
import type { Long } from '@grpc/proto-loader';

export interface JournalHead {
  'incarnation'?: (string);
  'revision'?: (number | string | Long);
  'run'?: (_fairlead_session_v1_RunningRun | null);
}

export interface JournalHead__Output {
  'incarnation': (string);
  'revision': (number);
  'run': (_fairlead_session_v1_RunningRun__Output | null);
}
