// Original file: fairlead/runner/v1/runner_service.proto

import type { StartRunResponse as _fairlead_runner_v1_StartRunResponse, StartRunResponse__Output as _fairlead_runner_v1_StartRunResponse__Output } from '../../../fairlead/runner/v1/StartRunResponse.ts';
import type { PipedFailure as _fairlead_common_v1_PipedFailure, PipedFailure__Output as _fairlead_common_v1_PipedFailure__Output } from '../../../fairlead/common/v1/PipedFailure.ts';

export interface PipedStarted {
  'number'?: (number);
  'started'?: (_fairlead_runner_v1_StartRunResponse | null);
  'failure'?: (_fairlead_common_v1_PipedFailure | null);
  'outcome'?: "started"|"failure";
}

export interface PipedStarted__Output {
  'number': (number);
  'started'?: (_fairlead_runner_v1_StartRunResponse__Output | null);
  'failure'?: (_fairlead_common_v1_PipedFailure__Output | null);
  'outcome'?: "started"|"failure";
}
