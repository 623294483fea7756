// Original file: agentplane/session/v1/session_service.proto

import type { Session as _agentplane_session_v1_Session, Session__Output as _agentplane_session_v1_Session__Output } from '../../../agentplane/session/v1/Session.ts';

export interface ListSessionsResponse {
  'sessions'?: (_agentplane_session_v1_Session)[];
  'nextPageToken'?: (string);
  '_nextPageToken'?: "nextPageToken";
}

export interface ListSessionsResponse__Output {
  'sessions': (_agentplane_session_v1_Session__Output)[];
  'nextPageToken'?: (string);
  '_nextPageToken'?: "nextPageToken";
}
