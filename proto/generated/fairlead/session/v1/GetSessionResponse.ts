// Original file: fairlead/session/v1/session_service.proto

import type { Session as _fairlead_session_v1_Session, Session__Output as _fairlead_session_v1_Session__Output } from '../../../fairlead/session/v1/Session.ts';

export interface GetSessionResponse {
  'session'?: (_fairlead_session_v1_Session | null);
}

export interface GetSessionResponse__Output {
  'session': (_fairlead_session_v1_Session__Output | null);
}
