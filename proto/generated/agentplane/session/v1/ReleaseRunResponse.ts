// Original file: agentplane/session/v1/run_journal_service.proto

import type { RunRecord as _agentplane_common_v1_RunRecord, RunRecord__Output as _agentplane_common_v1_RunRecord__Output } from '../../../agentplane/common/v1/RunRecord.ts';

export interface ReleaseRunResponse {
  'run'?: (_agentplane_common_v1_RunRecord | null);
}

export interface ReleaseRunResponse__Output {
  'run': (_agentplane_common_v1_RunRecord__Output | null);
}
