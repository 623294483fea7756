// Original file: fairlead/session/v1/session_service.proto

import type { Session as _fairlead_session_v1_Session, Session__Output as _fairlead_session_v1_Session__Output } from '../../../fairlead/session/v1/Session.ts';

export interface ListSessionsResponse {
  'sessions'?: (_fairlead_session_v1_Session)[];
  'nextPageToken'?: (string);
  'sharedStateJson'?: (Buffer | Uint8Array | string);
  '_nextPageToken'?: "nextPageToken";
  '_sharedStateJson'?: "sharedStateJson";
}

export interface ListSessionsResponse__Output {
  'sessions': (_fairlead_session_v1_Session__Output)[];
  'nextPageToken'?: (string);
  'sharedStateJson'?: (Buffer);
  '_nextPageToken'?: "nextPageToken";
  '_sharedStateJson'?: "sharedStateJson";
}
