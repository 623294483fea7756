// Original file: fairlead/session/v1/session_service.proto

import type { SessionKey as _fairlead_common_v1_SessionKey, SessionKey__Output as _fairlead_common_v1_SessionKey__Output } from '../../../fairlead/common/v1/SessionKey.ts';
import type { Event as _fairlead_common_v1_Event, Event__Output as _fairlead_common_v1_Event__Output } from '../../../fairlead/common/v1/Event.ts';
import type { Long } from '@grpc/proto-loader';

export interface AppendEventRequest {
  'key'?: (_fairlead_common_v1_SessionKey | null);
  'haveRevision'?: (number | string | Long);
  'event'?: (_fairlead_common_v1_Event | null);
}

export interface AppendEventRequest__Output {
  'key': (_fairlead_common_v1_SessionKey__Output | null);
  'haveRevision': (number);
  'event': (_fairlead_common_v1_Event__Output | null);
}
