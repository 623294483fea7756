// Original file: fairlead/session/v1/run_journal_service.proto

import type { Lease as _fairlead_session_v1_Lease, Lease__Output as _fairlead_session_v1_Lease__Output } from '../../../fairlead/session/v1/Lease.ts';
import type { RunRecord as _fairlead_common_v1_RunRecord, RunRecord__Output as _fairlead_common_v1_RunRecord__Output } from '../../../fairlead/common/v1/RunRecord.ts';
import type { SessionSnapshot as _fairlead_session_v1_SessionSnapshot, SessionSnapshot__Output as _fairlead_session_v1_SessionSnapshot__Output } from '../../../fairlead/session/v1/SessionSnapshot.ts';

export interface RunStarted {
  'lease'?: (_fairlead_session_v1_Lease | null);
  'run'?: (_fairlead_common_v1_RunRecord | null);
  'snapshot'?: (_fairlead_session_v1_SessionSnapshot | null);
  'opened'?: (boolean);
}

export interface RunStarted__Output {
  'lease': (_fairlead_session_v1_Lease__Output | null);
  'run': (_fairlead_common_v1_RunRecord__Output | null);
  'snapshot': (_fairlead_session_v1_SessionSnapshot__Output | null);
  'opened': (boolean);
}
