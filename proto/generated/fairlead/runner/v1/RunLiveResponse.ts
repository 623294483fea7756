// Original file: fairlead/runner/v1/runner_service.proto

import type { RunRecord as _fairlead_common_v1_RunRecord, RunRecord__Output as _fairlead_common_v1_RunRecord__Output } from '../../../fairlead/common/v1/RunRecord.ts';
import type { LiveEmissions as _fairlead_runner_v1_LiveEmissions, LiveEmissions__Output as _fairlead_runner_v1_LiveEmissions__Output } from '../../../fairlead/runner/v1/LiveEmissions.ts';
import type { Long } from '@grpc/proto-loader';

export interface RunLiveResponse {
  'recorded'?: (_fairlead_common_v1_RunRecord | null);
  'taken'?: (number | string | Long);
  'emitted'?: (_fairlead_runner_v1_LiveEmissions | null);
  'payload'?: "recorded"|"taken"|"emitted";
}

export interface RunLiveResponse__Output {
  'recorded'?: (_fairlead_common_v1_RunRecord__Output | null);
  'taken'?: (number);
  'emitted'?: (_fairlead_runner_v1_LiveEmissions__Output | null);
  'payload'?: "recorded"|"taken"|"emitted";
}
