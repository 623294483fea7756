// Original file: fairlead/session/v1/run_journal_service.proto

import type { RunRecord as _fairlead_common_v1_RunRecord, RunRecord__Output as _fairlead_common_v1_RunRecord__Output } from '../../../fairlead/common/v1/RunRecord.ts';

export interface ReleaseRunResponse {
  'run'?: (_fairlead_common_v1_RunRecord | null);
}

export interface ReleaseRunResponse__Output {
  'run': (_fairlead_common_v1_RunRecord__Output | null);
}
