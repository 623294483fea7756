// Original file: agentplane/runner/v1/runner_service.proto

import type { PipedStarted as _agentplane_runner_v1_PipedStarted, PipedStarted__Output as _agentplane_runner_v1_PipedStarted__Output } from '../../../agentplane/runner/v1/PipedStarted.ts';

export interface StartPipeResponse {
  'answers'?: (_agentplane_runner_v1_PipedStarted)[];
}

export interface StartPipeResponse__Output {
  'answers': (_agentplane_runner_v1_PipedStarted__Output)[];
}
