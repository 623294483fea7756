// Original file: fairlead/runner/v1/runner_service.proto

import type { StartRunRequest as _fairlead_runner_v1_StartRunRequest, StartRunRequest__Output as _fairlead_runner_v1_StartRunRequest__Output } from '../../../fairlead/runner/v1/StartRunRequest.ts';

export interface PipedStart {
  'number'?: (number);
  'start'?: (_fairlead_runner_v1_StartRunRequest | null);
  'principal'?: (string);
  'traceParent'?: (string);
}

export interface PipedStart__Output {
  'number': (number);
  'start': (_fairlead_runner_v1_StartRunRequest__Output | null);
  'principal': (string);
  'traceParent': (string);
}
