// Original file: fairlead/runner/v1/runner_service.proto

import type { RunRecord as _fairlead_common_v1_RunRecord, RunRecord__Output as _fairlead_common_v1_RunRecord__Output } from '../../../fairlead/common/v1/RunRecord.ts';
import type { Long } from '@grpc/proto-loader';

export interface RunLiveResponse {
  'recorded'?: (_fairlead_common_v1_RunRecord | null);
  'taken'?: (number | string | Long);
  'payload'?: "recorded"|"taken";
}

export interface RunLiveResponse__Output {
  'recorded'?: (_fairlead_common_v1_RunRecord__Output | null);
  'taken'?: (number);
  'payload'?: "recorded"|"taken";
}
