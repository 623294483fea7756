// Original file: fairlead/session/v1/session_service.proto

import type { Event as _fairlead_common_v1_Event, Event__Output as _fairlead_common_v1_Event__Output } from '../../../fairlead/common/v1/Event.ts';
import type { Long } from '@grpc/proto-loader';

export interface ListEventsResponse {
  'events'?: (_fairlead_common_v1_Event)[];
  'nextPageToken'?: (string);
  'longEventCharacters'?: (number | string | Long);
  '_nextPageToken'?: "nextPageToken";
  '_longEventCharacters'?: "longEventCharacters";
}

export interface ListEventsResponse__Output {
  'events': (_fairlead_common_v1_Event__Output)[];
  'nextPageToken'?: (string);
  'longEventCharacters'?: (number);
  '_nextPageToken'?: "nextPageToken";
  '_longEventCharacters'?: "longEventCharacters";
}
