// Original file: fairlead/session/v1/session_service.proto

import type { Event as _fairlead_common_v1_Event, Event__Output as _fairlead_common_v1_Event__Output } from '../../../fairlead/common/v1/Event.ts';

export interface ListEventsResponse {
  'events'?: (_fairlead_common_v1_Event)[];
  'nextPageToken'?: (string);
  '_nextPageToken'?: "nextPageToken";
}

export interface ListEventsResponse__Output {
  'events': (_fairlead_common_v1_Event__Output)[];
  'nextPageToken'?: (string);
  '_nextPageToken'?: "nextPageToken";
}
