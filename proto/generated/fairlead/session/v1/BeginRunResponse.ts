// Original file: fairlead/session/v1/run_journal_service.proto

import type { RunStarted as _fairlead_session_v1_RunStarted, RunStarted__Output as _fairlead_session_v1_RunStarted__Output } from '../../../fairlead/session/v1/RunStarted.ts';
import type { RunQueued as _fairlead_session_v1_RunQueued, RunQueued__Output as _fairlead_session_v1_RunQueued__Output } from '../../../fairlead/session/v1/RunQueued.ts';
import type { RunExisting as _fairlead_session_v1_RunExisting, RunExisting__Output as _fairlead_session_v1_RunExisting__Output } from '../../../fairlead/session/v1/RunExisting.ts';
import type { Event as _fairlead_common_v1_Event, Event__Output as _fairlead_common_v1_Event__Output } from '../../../fairlead/common/v1/Event.ts';

export interface BeginRunResponse {
  'started'?: (_fairlead_session_v1_RunStarted | null);
  'queued'?: (_fairlead_session_v1_RunQueued | null);
  'existing'?: (_fairlead_session_v1_RunExisting | null);
  'events'?: (_fairlead_common_v1_Event)[];
  'grant'?: (string);
  'result'?: "started"|"queued"|"existing";
}

export interface BeginRunResponse__Output {
  'started'?: (_fairlead_session_v1_RunStarted__Output | null);
  'queued'?: (_fairlead_session_v1_RunQueued__Output | null);
  'existing'?: (_fairlead_session_v1_RunExisting__Output | null);
  'events': (_fairlead_common_v1_Event__Output)[];
  'grant': (string);
  'result'?: "started"|"queued"|"existing";
}
