// Original file: fairlead/session/v1/session_service.proto

import type { OldItem as _fairlead_session_v1_OldItem, OldItem__Output as _fairlead_session_v1_OldItem__Output } from '../../../fairlead/session/v1/OldItem.ts';

export interface ListOldDataResponse {
  'items'?: (_fairlead_session_v1_OldItem)[];
  'nextPageToken'?: (string);
  '_nextPageToken'?: "nextPageToken";
}

export interface ListOldDataResponse__Output {
  'items': (_fairlead_session_v1_OldItem__Output)[];
  'nextPageToken'?: (string);
  '_nextPageToken'?: "nextPageToken";
}
