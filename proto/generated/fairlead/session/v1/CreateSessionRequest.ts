// Original file: fairlead/session/v1/session_service.proto

import type { CreateSessionHeader as _fairlead_session_v1_CreateSessionHeader, CreateSessionHeader__Output as _fairlead_session_v1_CreateSessionHeader__Output } from '../../../fairlead/session/v1/CreateSessionHeader.ts';
import type { Event as _fairlead_common_v1_Event, Event__Output as _fairlead_common_v1_Event__Output } from '../../../fairlead/common/v1/Event.ts';

export interface CreateSessionRequest {
  'header'?: (_fairlead_session_v1_CreateSessionHeader | null);
  'events'?: (_fairlead_common_v1_Event)[];
  'complete'?: (boolean);
}

export interface CreateSessionRequest__Output {
  'header': (_fairlead_session_v1_CreateSessionHeader__Output | null);
  'events': (_fairlead_common_v1_Event__Output)[];
  'complete': (boolean);
}
