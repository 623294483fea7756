// Original file: agentplane/session/v1/session_service.proto

import type { Event as _agentplane_common_v1_Event, Event__Output as _agentplane_common_v1_Event__Output } from '../../../agentplane/common/v1/Event.ts';

export interface ListEventsResponse {
  'events'?: (_agentplane_common_v1_Event)[];
  'nextPageToken'?: (string);
  '_nextPageToken'?: "nextPageToken";
}

export interface ListEventsResponse__Output {
  'events': (_agentplane_common_v1_Event__Output)[];
  'nextPageToken'?: (string);
  '_nextPageToken'?: "nextPageToken";
}
