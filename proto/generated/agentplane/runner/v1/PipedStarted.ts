// Original file: agentplane/runner/v1/runner_service.proto

import type { StartRunResponse as _agentplane_runner_v1_StartRunResponse, StartRunResponse__Output as _agentplane_runner_v1_StartRunResponse__Output } from '../../../agentplane/runner/v1/StartRunResponse.ts';
import type { PipedFailure as _agentplane_common_v1_PipedFailure, PipedFailure__Output as _agentplane_common_v1_PipedFailure__Output } from '../../../agentplane/common/v1/PipedFailure.ts';

export interface PipedStarted {
  'number'?: (number);
  'started'?: (_agentplane_runner_v1_StartRunResponse | null);
  'failure'?: (_agentplane_common_v1_PipedFailure | null);
  'outcome'?: "started"|"failure";
}

export interface PipedStarted__Output {
  'number': (number);
  'started'?: (_agentplane_runner_v1_StartRunResponse__Output | null);
  'failure'?: (_agentplane_common_v1_PipedFailure__Output | null);
  'outcome'?: "started"|"failure";
}
