// Original file: agentplane/session/v1/session_service.proto

import type { CreateSessionHeader as _agentplane_session_v1_CreateSessionHeader, CreateSessionHeader__Output as _agentplane_session_v1_CreateSessionHeader__Output } from '../../../agentplane/session/v1/CreateSessionHeader.ts';
import type { Event as _agentplane_common_v1_Event, Event__Output as _agentplane_common_v1_Event__Output } from '../../../agentplane/common/v1/Event.ts';

export interface CreateSessionRequest {
  'header'?: (_agentplane_session_v1_CreateSessionHeader | null);
  'events'?: (_agentplane_common_v1_Event)[];
  'complete'?: (boolean);
}

export interface CreateSessionRequest__Output {
  'header': (_agentplane_session_v1_CreateSessionHeader__Output | null);
  'events': (_agentplane_common_v1_Event__Output)[];
  'complete': (boolean);
}
