// Original file: fairlead/session/v1/session_service.proto

import type { Event as _fairlead_common_v1_Event, Event__Output as _fairlead_common_v1_Event__Output } from '../../../fairlead/common/v1/Event.ts';

export interface AppendEventResponse {
  'events'?: (_fairlead_common_v1_Event)[];
}

export interface AppendEventResponse__Output {
  'events': (_fairlead_common_v1_Event__Output)[];
}
