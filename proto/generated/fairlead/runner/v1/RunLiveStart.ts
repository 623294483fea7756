// Original file: fairlead/runner/v1/runner_service.proto

import type { StartRunRequest as _fairlead_runner_v1_StartRunRequest, StartRunRequest__Output as _fairlead_runner_v1_StartRunRequest__Output } from '../../../fairlead/runner/v1/StartRunRequest.ts';

export interface RunLiveStart {
  'start'?: (_fairlead_runner_v1_StartRunRequest | null);
  'resumes'?: (boolean);
}

export interface RunLiveStart__Output {
  'start': (_fairlead_runner_v1_StartRunRequest__Output | null);
  'resumes': (boolean);
}
