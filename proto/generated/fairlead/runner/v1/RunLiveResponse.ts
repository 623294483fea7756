// Original file: fairlead/runner/v1/runner_service.proto

import type { RunRecord as _fairlead_common_v1_RunRecord, RunRecord__Output as _fairlead_common_v1_RunRecord__Output } from '../../../fairlead/common/v1/RunRecord.ts';
import type { LiveProgress as _fairlead_runner_v1_LiveProgress, LiveProgress__Output as _fairlead_runner_v1_LiveProgress__Output } from '../../../fairlead/runner/v1/LiveProgress.ts';

export interface RunLiveResponse {
  'recorded'?: (_fairlead_common_v1_RunRecord | null);
  'progress'?: (_fairlead_runner_v1_LiveProgress | null);
  'payload'?: "recorded"|"progress";
}

export interface RunLiveResponse__Output {
  'recorded'?: (_fairlead_common_v1_RunRecord__Output | null);
  'progress'?: (_fairlead_runner_v1_LiveProgress__Output | null);
  'payload'?: "recorded"|"progress";
}
