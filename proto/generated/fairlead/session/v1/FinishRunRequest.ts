// Original file: fairlead/session/v1/run_journal_service.proto

import type { Lease as _fairlead_session_v1_Lease, Lease__Output as _fairlead_session_v1_Lease__Output } from '../../../fairlead/session/v1/Lease.ts';
import type { Event as _fairlead_common_v1_Event, Event__Output as _fairlead_common_v1_Event__Output } from '../../../fairlead/common/v1/Event.ts';
import type { RunStatus as _fairlead_common_v1_RunStatus, RunStatus__Output as _fairlead_common_v1_RunStatus__Output } from '../../../fairlead/common/v1/RunStatus.ts';
import type { RunError as _fairlead_common_v1_RunError, RunError__Output as _fairlead_common_v1_RunError__Output } from '../../../fairlead/common/v1/RunError.ts';
import type { HistoryStart as _fairlead_session_v1_HistoryStart, HistoryStart__Output as _fairlead_session_v1_HistoryStart__Output } from '../../../fairlead/session/v1/HistoryStart.ts';
import type { Long } from '@grpc/proto-loader';

export interface FinishRunRequest {
  'lease'?: (_fairlead_session_v1_Lease | null);
  'afterRevision'?: (number | string | Long);
  'events'?: (_fairlead_common_v1_Event)[];
  'status'?: (_fairlead_common_v1_RunStatus);
  'usageJson'?: (Buffer | Uint8Array | string);
  'error'?: (_fairlead_common_v1_RunError | null);
  'historyStart'?: (_fairlead_session_v1_HistoryStart | null);
  '_usageJson'?: "usageJson";
}

export interface FinishRunRequest__Output {
  'lease': (_fairlead_session_v1_Lease__Output | null);
  'afterRevision': (number);
  'events': (_fairlead_common_v1_Event__Output)[];
  'status': (_fairlead_common_v1_RunStatus__Output);
  'usageJson'?: (Buffer);
  'error': (_fairlead_common_v1_RunError__Output | null);
  'historyStart': (_fairlead_session_v1_HistoryStart__Output | null);
  '_usageJson'?: "usageJson";
}
