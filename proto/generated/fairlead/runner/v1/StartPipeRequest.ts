// Original file: fairlead/runner/v1/runner_service.proto

import type { PipedStart as _fairlead_runner_v1_PipedStart, PipedStart__Output as _fairlead_runner_v1_PipedStart__Output } from '../../../fairlead/runner/v1/PipedStart.ts';

export interface StartPipeRequest {
  'requests'?: (_fairlead_runner_v1_PipedStart)[];
}

export interface StartPipeRequest__Output {
  'requests': (_fairlead_runner_v1_PipedStart__Output)[];
}
