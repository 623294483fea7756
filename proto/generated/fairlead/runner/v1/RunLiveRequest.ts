// Original file: fairlead/runner/v1/runner_service.proto

import type { RunLiveStart as _fairlead_runner_v1_RunLiveStart, RunLiveStart__Output as _fairlead_runner_v1_RunLiveStart__Output } from '../../../fairlead/runner/v1/RunLiveStart.ts';

export interface RunLiveRequest {
  'start'?: (_fairlead_runner_v1_RunLiveStart | null);
  'liveRequestJson'?: (Buffer | Uint8Array | string);
  'payload'?: "start"|"liveRequestJson";
}

export interface RunLiveRequest__Output {
  'start'?: (_fairlead_runner_v1_RunLiveStart__Output | null);
  'liveRequestJson'?: (Buffer);
  'payload'?: "start"|"liveRequestJson";
}
