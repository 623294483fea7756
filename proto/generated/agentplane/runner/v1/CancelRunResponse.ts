// Original file: agentplane/runner/v1/runner_service.proto

import type { RunRecord as _agentplane_common_v1_RunRecord, RunRecord__Output as _agentplane_common_v1_RunRecord__Output } from '../../../agentplane/common/v1/RunRecord.ts';

export interface CancelRunResponse {
  'run'?: (_agentplane_common_v1_RunRecord | null);
}

export interface CancelRunResponse__Output {
  'run': (_agentplane_common_v1_RunRecord__Output | null);
}
