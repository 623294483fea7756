// Original file: agentplane/session/v1/run_journal_service.proto

import type { BeginRunRequest as _agentplane_session_v1_BeginRunRequest, BeginRunRequest__Output as _agentplane_session_v1_BeginRunRequest__Output } from '../../../agentplane/session/v1/BeginRunRequest.ts';
import type { AppendEventsRequest as _agentplane_session_v1_AppendEventsRequest, AppendEventsRequest__Output as _agentplane_session_v1_AppendEventsRequest__Output } from '../../../agentplane/session/v1/AppendEventsRequest.ts';
import type { FinishRunRequest as _agentplane_session_v1_FinishRunRequest, FinishRunRequest__Output as _agentplane_session_v1_FinishRunRequest__Output } from '../../../agentplane/session/v1/FinishRunRequest.ts';

export interface PipedRequest {
  'number'?: (number);
  'begin'?: (_agentplane_session_v1_BeginRunRequest | null);
  'append'?: (_agentplane_session_v1_AppendEventsRequest | null);
  'finish'?: (_agentplane_session_v1_FinishRunRequest | null);
  'principal'?: (string);
  'traceParent'?: (string);
  'request'?: "begin"|"append"|"finish";
}

export interface PipedRequest__Output {
  'number': (number);
  'begin'?: (_agentplane_session_v1_BeginRunRequest__Output | null);
  'append'?: (_agentplane_session_v1_AppendEventsRequest__Output | null);
  'finish'?: (_agentplane_session_v1_FinishRunRequest__Output | null);
  'principal': (string);
  'traceParent': (string);
  'request'?: "begin"|"append"|"finish";
}
