// Original file: agentplane/session/v1/session_service.proto

import type { Event as _agentplane_common_v1_Event, Event__Output as _agentplane_common_v1_Event__Output } from '../../../agentplane/common/v1/Event.ts';

export interface AppendEventResponse {
  'events'?: (_agentplane_common_v1_Event)[];
}

export interface AppendEventResponse__Output {
  'events': (_agentplane_common_v1_Event__Output)[];
}
