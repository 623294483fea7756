// Original file: fairlead/session/v1/run_journal_service.proto

import type { BeginRunRequest as _fairlead_session_v1_BeginRunRequest, BeginRunRequest__Output as _fairlead_session_v1_BeginRunRequest__Output } from '../../../fairlead/session/v1/BeginRunRequest.ts';
import type { AppendEventsRequest as _fairlead_session_v1_AppendEventsRequest, AppendEventsRequest__Output as _fairlead_session_v1_AppendEventsRequest__Output } from '../../../fairlead/session/v1/AppendEventsRequest.ts';
import type { FinishRunRequest as _fairlead_session_v1_FinishRunRequest, FinishRunRequest__Output as _fairlead_session_v1_FinishRunRequest__Output } from '../../../fairlead/session/v1/FinishRunRequest.ts';

export interface PipedRequest {
  'number'?: (number);
  'begin'?: (_fairlead_session_v1_BeginRunRequest | null);
  'append'?: (_fairlead_session_v1_AppendEventsRequest | null);
  'finish'?: (_fairlead_session_v1_FinishRunRequest | null);
  'principal'?: (string);
  'traceParent'?: (string);
  'grant'?: (string);
  'request'?: "begin"|"append"|"finish";
}

export interface PipedRequest__Output {
  'number': (number);
  'begin'?: (_fairlead_session_v1_BeginRunRequest__Output | null);
  'append'?: (_fairlead_session_v1_AppendEventsRequest__Output | null);
  'finish'?: (_fairlead_session_v1_FinishRunRequest__Output | null);
  'principal': (string);
  'traceParent': (string);
  'grant': (string);
  'request'?: "begin"|"append"|"finish";
}
