// Original file: fairlead/session/v1/session_service.proto

import type { IdleSession as _fairlead_session_v1_IdleSession, IdleSession__Output as _fairlead_session_v1_IdleSession__Output } from '../../../fairlead/session/v1/IdleSession.ts';

export interface ListIdleSessionsResponse {
  'sessions'?: (_fairlead_session_v1_IdleSession)[];
  'nextPageToken'?: (string);
  '_nextPageToken'?: "nextPageToken";
}

export interface ListIdleSessionsResponse__Output {
  'sessions': (_fairlead_session_v1_IdleSession__Output)[];
  'nextPageToken'?: (string);
  '_nextPageToken'?: "nextPageToken";
}
