// Original file: agentplane/session/v1/run_journal_service.proto

import type { AppendEventsResponse as _agentplane_session_v1_AppendEventsResponse, AppendEventsResponse__Output as _agentplane_session_v1_AppendEventsResponse__Output } from '../../../agentplane/session/v1/AppendEventsResponse.ts';
import type { AppendFailure as _agentplane_session_v1_AppendFailure, AppendFailure__Output as _agentplane_session_v1_AppendFailure__Output } from '../../../agentplane/session/v1/AppendFailure.ts';

export interface AppendPipeResponse {
  'number'?: (number);
  'appended'?: (_agentplane_session_v1_AppendEventsResponse | null);
  'failure'?: (_agentplane_session_v1_AppendFailure | null);
  'outcome'?: "appended"|"failure";
}

export interface AppendPipeResponse__Output {
  'number': (number);
  'appended'?: (_agentplane_session_v1_AppendEventsResponse__Output | null);
  'failure'?: (_agentplane_session_v1_AppendFailure__Output | null);
  'outcome'?: "appended"|"failure";
}
