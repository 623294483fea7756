// Original file: fairlead/session/v1/session_service.proto

import type { Session as _fairlead_session_v1_Session, Session__Output as _fairlead_session_v1_Session__Output } from '../../../fairlead/session/v1/Session.ts';
import type { Event as _fairlead_common_v1_Event, Event__Output as _fairlead_common_v1_Event__Output } from '../../../fairlead/common/v1/Event.ts';

export interface GetSessionResponse {
  'session'?: (_fairlead_session_v1_Session | null);
  'events'?: (_fairlead_common_v1_Event)[];
}

export interface GetSessionResponse__Output {
  'session': (_fairlead_session_v1_Session__Output | null);
  'events': (_fairlead_common_v1_Event__Output)[];
}
