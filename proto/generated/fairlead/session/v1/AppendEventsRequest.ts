// Original file: fairlead/session/v1/run_journal_service.proto

import type { Lease as _fairlead_session_v1_Lease, Lease__Output as _fairlead_session_v1_Lease__Output } from '../../../fairlead/session/v1/Lease.ts';
import type { Duration as _google_protobuf_Duration, Duration__Output as _google_protobuf_Duration__Output } from '../../../google/protobuf/Duration.ts';
import type { Event as _fairlead_common_v1_Event, Event__Output as _fairlead_common_v1_Event__Output } from '../../../fairlead/common/v1/Event.ts';
import type { HistoryStart as _fairlead_session_v1_HistoryStart, HistoryStart__Output as _fairlead_session_v1_HistoryStart__Output } from '../../../fairlead/session/v1/HistoryStart.ts';
import type { Long } from '@grpc/proto-loader';

export interface AppendEventsRequest {
  'lease'?: (_fairlead_session_v1_Lease | null);
  'leaseDuration'?: (_google_protobuf_Duration | null);
  'afterRevision'?: (number | string | Long);
  'events'?: (_fairlead_common_v1_Event)[];
  'historyStart'?: (_fairlead_session_v1_HistoryStart | null);
}

export interface AppendEventsRequest__Output {
  'lease': (_fairlead_session_v1_Lease__Output | null);
  'leaseDuration': (_google_protobuf_Duration__Output | null);
  'afterRevision': (number);
  'events': (_fairlead_common_v1_Event__Output)[];
  'historyStart': (_fairlead_session_v1_HistoryStart__Output | null);
}
