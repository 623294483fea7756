// Original file: agentplane/session/v1/run_journal_service.proto

import type { Lease as _agentplane_session_v1_Lease, Lease__Output as _agentplane_session_v1_Lease__Output } from '../../../agentplane/session/v1/Lease.ts';
import type { RunRecord as _agentplane_common_v1_RunRecord, RunRecord__Output as _agentplane_common_v1_RunRecord__Output } from '../../../agentplane/common/v1/RunRecord.ts';
import type { SessionSnapshot as _agentplane_session_v1_SessionSnapshot, SessionSnapshot__Output as _agentplane_session_v1_SessionSnapshot__Output } from '../../../agentplane/session/v1/SessionSnapshot.ts';

export interface RunStarted {
  'lease'?: (_agentplane_session_v1_Lease | null);
  'run'?: (_agentplane_common_v1_RunRecord | null);
  'snapshot'?: (_agentplane_session_v1_SessionSnapshot | null);
  'opened'?: (boolean);
}

export interface RunStarted__Output {
  'lease': (_agentplane_session_v1_Lease__Output | null);
  'run': (_agentplane_common_v1_RunRecord__Output | null);
  'snapshot': (_agentplane_session_v1_SessionSnapshot__Output | null);
  'opened': (boolean);
}
