// Original file: agentplane/session/v1/run_journal_service.proto

import type { AppendEventsRequest as _agentplane_session_v1_AppendEventsRequest, AppendEventsRequest__Output as _agentplane_session_v1_AppendEventsRequest__Output } from '../../../agentplane/session/v1/AppendEventsRequest.ts';

export interface AppendPipeRequest {
  'number'?: (number);
  'append'?: (_agentplane_session_v1_AppendEventsRequest | null);
}

export interface AppendPipeRequest__Output {
  'number': (number);
  'append': (_agentplane_session_v1_AppendEventsRequest__Output | null);
}
