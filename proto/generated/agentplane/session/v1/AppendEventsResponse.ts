// Original file: agentplane/session/v1/run_journal_service.proto

import type { Lease as _agentplane_session_v1_Lease, Lease__Output as _agentplane_session_v1_Lease__Output } from '../../../agentplane/session/v1/Lease.ts';
import type { Event as _agentplane_common_v1_Event, Event__Output as _agentplane_common_v1_Event__Output } from '../../../agentplane/common/v1/Event.ts';
import type { Long } from '@grpc/proto-loader';

export interface AppendEventsResponse {
  'lease'?: (_agentplane_session_v1_Lease | null);
  'revision'?: (number | string | Long);
  'sequences'?: (number | string | Long)[];
  'missed'?: (_agentplane_common_v1_Event)[];
  'cancelRequested'?: (boolean);
}

export interface AppendEventsResponse__Output {
  'lease': (_agentplane_session_v1_Lease__Output | null);
  'revision': (string);
  'sequences': (string)[];
  'missed': (_agentplane_common_v1_Event__Output)[];
  'cancelRequested': (boolean);
}
