// Original file: agentplane/session/v1/session_service.proto

import type { Session as _agentplane_session_v1_Session, Session__Output as _agentplane_session_v1_Session__Output } from '../../../agentplane/session/v1/Session.ts';

export interface CreateSessionResponse {
  'session'?: (_agentplane_session_v1_Session | null);
}

export interface CreateSessionResponse__Output {
  'session': (_agentplane_session_v1_Session__Output | null);
}
