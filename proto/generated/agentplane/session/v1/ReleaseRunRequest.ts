// Original file: agentplane/session/v1/run_journal_service.proto

import type { Lease as _agentplane_session_v1_Lease, Lease__Output as _agentplane_session_v1_Lease__Output } from '../../../agentplane/session/v1/Lease.ts';

export interface ReleaseRunRequest {
  'lease'?: (_agentplane_session_v1_Lease | null);
}

export interface ReleaseRunRequest__Output {
  'lease': (_agentplane_session_v1_Lease__Output | null);
}
