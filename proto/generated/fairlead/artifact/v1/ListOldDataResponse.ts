// Original file: fairlead/artifact/v1/artifact_service.proto

import type { OldItem as _fairlead_artifact_v1_OldItem, OldItem__Output as _fairlead_artifact_v1_OldItem__Output } from '../../../fairlead/artifact/v1/OldItem.ts';

export interface ListOldDataResponse {
  'items'?: (_fairlead_artifact_v1_OldItem)[];
  'nextPageToken'?: (string);
  '_nextPageToken'?: "nextPageToken";
}

export interface ListOldDataResponse__Output {
  'items': (_fairlead_artifact_v1_OldItem__Output)[];
  'nextPageToken'?: (string);
  '_nextPageToken'?: "nextPageToken";
}
