// Original file: fairlead/runner/v1/runner_service.proto

import type { PipedStarted as _fairlead_runner_v1_PipedStarted, PipedStarted__Output as _fairlead_runner_v1_PipedStarted__Output } from '../../../fairlead/runner/v1/PipedStarted.ts';

export interface StartPipeResponse {
  'answers'?: (_fairlead_runner_v1_PipedStarted)[];
}

export interface StartPipeResponse__Output {
  'answers': (_fairlead_runner_v1_PipedStarted__Output)[];
}
