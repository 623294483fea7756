// Original file: fairlead/session/v1/run_journal_service.proto

import type { BeginRunResponse as _fairlead_session_v1_BeginRunResponse, BeginRunResponse__Output as _fairlead_session_v1_BeginRunResponse__Output } from '../../../fairlead/session/v1/BeginRunResponse.ts';
import type { AppendEventsResponse as _fairlead_session_v1_AppendEventsResponse, AppendEventsResponse__Output as _fairlead_session_v1_AppendEventsResponse__Output } from '../../../fairlead/session/v1/AppendEventsResponse.ts';
import type { FinishRunResponse as _fairlead_session_v1_FinishRunResponse, FinishRunResponse__Output as _fairlead_session_v1_FinishRunResponse__Output } from '../../../fairlead/session/v1/FinishRunResponse.ts';
import type { PipedFailure as _fairlead_common_v1_PipedFailure, PipedFailure__Output as _fairlead_common_v1_PipedFailure__Output } from '../../../fairlead/common/v1/PipedFailure.ts';

export interface PipedAnswer {
  'number'?: (number);
  'begun'?: (_fairlead_session_v1_BeginRunResponse | null);
  'appended'?: (_fairlead_session_v1_AppendEventsResponse | null);
  'finished'?: (_fairlead_session_v1_FinishRunResponse | null);
  'failure'?: (_fairlead_common_v1_PipedFailure | null);
  'more'?: (boolean);
  'outcome'?: "begun"|"appended"|"finished"|"failure";
}

export interface PipedAnswer__Output {
  'number': (number);
  'begun'?: (_fairlead_session_v1_BeginRunResponse__Output | null);
  'appended'?: (_fairlead_session_v1_AppendEventsResponse__Output | null);
  'finished'?: (_fairlead_session_v1_FinishRunResponse__Output | null);
  'failure'?: (_fairlead_common_v1_PipedFailure__Output | null);
  'more': (boolean);
  'outcome'?: "begun"|"appended"|"finished"|"failure";
}
