// Original file: fairlead/runner/v1/runner_service.proto

import type { RunRecord as _fairlead_common_v1_RunRecord, RunRecord__Output as _fairlead_common_v1_RunRecord__Output } from '../../../fairlead/common/v1/RunRecord.ts';

export interface StartRunResponse {
  'run'?: (_fairlead_common_v1_RunRecord | null);
}

export interface StartRunResponse__Output {
  'run': (_fairlead_common_v1_RunRecord__Output | null);
}
