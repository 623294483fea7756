// Original file: agentplane/runner/v1/runner_service.proto

import type { PipedStart as _agentplane_runner_v1_PipedStart, PipedStart__Output as _agentplane_runner_v1_PipedStart__Output } from '../../../agentplane/runner/v1/PipedStart.ts';

export interface StartPipeRequest {
  'requests'?: (_agentplane_runner_v1_PipedStart)[];
}

export interface StartPipeRequest__Output {
  'requests': (_agentplane_runner_v1_PipedStart__Output)[];
}
