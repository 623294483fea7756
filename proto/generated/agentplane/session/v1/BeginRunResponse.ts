// Original file: agentplane/session/v1/run_journal_service.proto

import type { RunStarted as _agentplane_session_v1_RunStarted, RunStarted__Output as _agentplane_session_v1_RunStarted__Output } from '../../../agentplane/session/v1/RunStarted.ts';
import type { RunQueued as _agentplane_session_v1_RunQueued, RunQueued__Output as _agentplane_session_v1_RunQueued__Output } from '../../../agentplane/session/v1/RunQueued.ts';
import type { RunExisting as _agentplane_session_v1_RunExisting, RunExisting__Output as _agentplane_session_v1_RunExisting__Output } from '../../../agentplane/session/v1/RunExisting.ts';
import type { Event as _agentplane_common_v1_Event, Event__Output as _agentplane_common_v1_Event__Output } from '../../../agentplane/common/v1/Event.ts';

export interface BeginRunResponse {
  'started'?: (_agentplane_session_v1_RunStarted | null);
  'queued'?: (_agentplane_session_v1_RunQueued | null);
  'existing'?: (_agentplane_session_v1_RunExisting | null);
  'events'?: (_agentplane_common_v1_Event)[];
  'result'?: "started"|"queued"|"existing";
}

export interface BeginRunResponse__Output {
  'started'?: (_agentplane_session_v1_RunStarted__Output | null);
  'queued'?: (_agentplane_session_v1_RunQueued__Output | null);
  'existing'?: (_agentplane_session_v1_RunExisting__Output | null);
  'events': (_agentplane_common_v1_Event__Output)[];
  'result'?: "started"|"queued"|"existing";
}
