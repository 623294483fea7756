// Original file: fairlead/session/v1/run_journal_service.proto

import type { Lease as _fairlead_session_v1_Lease, Lease__Output as _fairlead_session_v1_Lease__Output } from '../../../fairlead/session/v1/Lease.ts';
import type { Event as _fairlead_common_v1_Event, Event__Output as _fairlead_common_v1_Event__Output } from '../../../fairlead/common/v1/Event.ts';
import type { Long } from '@grpc/proto-loader';

export interface AppendEventsResponse {
  'lease'?: (_fairlead_session_v1_Lease | null);
  'revision'?: (number | string | Long);
  'sequences'?: (number | string | Long)[];
  'missed'?: (_fairlead_common_v1_Event)[];
  'cancelRequested'?: (boolean);
  'grant'?: (string);
}

export interface AppendEventsResponse__Output {
  'lease': (_fairlead_session_v1_Lease__Output | null);
  'revision': (number);
  'sequences': (number)[];
  'missed': (_fairlead_common_v1_Event__Output)[];
  'cancelRequested': (boolean);
  'grant': (string);
}
