// Original file: fairlead/runner/v1/runner_service.proto

import type { LiveEmission as _fairlead_runner_v1_LiveEmission, LiveEmission__Output as _fairlead_runner_v1_LiveEmission__Output } from '../../../fairlead/runner/v1/LiveEmission.ts';

export interface LiveEmissions {
  'entries'?: (_fairlead_runner_v1_LiveEmission)[];
}

export interface LiveEmissions__Output {
  'entries': (_fairlead_runner_v1_LiveEmission__Output)[];
}
