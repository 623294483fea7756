// Original file: agentplane/session/v1/session_service.proto

import type { Session as _agentplane_session_v1_Session, Session__Output as _agentplane_session_v1_Session__Output } from '../../../agentplane/session/v1/Session.ts';
import type { Event as _agentplane_common_v1_Event, Event__Output as _agentplane_common_v1_Event__Output } from '../../../agentplane/common/v1/Event.ts';

export interface GetSessionResponse {
  'session'?: (_agentplane_session_v1_Session | null);
  'events'?: (_agentplane_common_v1_Event)[];
}

export interface GetSessionResponse__Output {
  'session': (_agentplane_session_v1_Session__Output | null);
  'events': (_agentplane_common_v1_Event__Output)[];
}
