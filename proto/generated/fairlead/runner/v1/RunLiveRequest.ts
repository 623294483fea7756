// Original file: fairlead/runner/v1/runner_service.proto

import type { RunLiveStart as _fairlead_runner_v1_RunLiveStart, RunLiveStart__Output as _fairlead_runner_v1_RunLiveStart__Output } from '../../../fairlead/runner/v1/RunLiveStart.ts';
import type { LiveInput as _fairlead_runner_v1_LiveInput, LiveInput__Output as _fairlead_runner_v1_LiveInput__Output } from '../../../fairlead/runner/v1/LiveInput.ts';
import type { LiveInputsEnd as _fairlead_runner_v1_LiveInputsEnd, LiveInputsEnd__Output as _fairlead_runner_v1_LiveInputsEnd__Output } from '../../../fairlead/runner/v1/LiveInputsEnd.ts';

export interface RunLiveRequest {
  'start'?: (_fairlead_runner_v1_RunLiveStart | null);
  'input'?: (_fairlead_runner_v1_LiveInput | null);
  'inputsEnd'?: (_fairlead_runner_v1_LiveInputsEnd | null);
  'payload'?: "start"|"input"|"inputsEnd";
}

export interface RunLiveRequest__Output {
  'start'?: (_fairlead_runner_v1_RunLiveStart__Output | null);
  'input'?: (_fairlead_runner_v1_LiveInput__Output | null);
  'inputsEnd'?: (_fairlead_runner_v1_LiveInputsEnd__Output | null);
  'payload'?: "start"|"input"|"inputsEnd";
}
