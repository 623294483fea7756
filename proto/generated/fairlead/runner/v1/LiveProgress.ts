// Original file: fairlead/runner/v1/runner_service.proto

import type { LiveEmission as _fairlead_runner_v1_LiveEmission, LiveEmission__Output as _fairlead_runner_v1_LiveEmission__Output } from '../../../fairlead/runner/v1/LiveEmission.ts';

export interface LiveProgress {
  'entries'?: (_fairlead_runner_v1_LiveEmission)[];
  'taken'?: (number);
  '_taken'?: "taken";
}

export interface LiveProgress__Output {
  'entries': (_fairlead_runner_v1_LiveEmission__Output)[];
  'taken'?: (number);
  '_taken'?: "taken";
}
