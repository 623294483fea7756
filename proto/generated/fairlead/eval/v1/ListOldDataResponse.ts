// Original file: fairlead/eval/v1/eval_service.proto

import type { OldItem as _fairlead_eval_v1_OldItem, OldItem__Output as _fairlead_eval_v1_OldItem__Output } from '../../../fairlead/eval/v1/OldItem.ts';

export interface ListOldDataResponse {
  'items'?: (_fairlead_eval_v1_OldItem)[];
  'nextPageToken'?: (string);
  '_nextPageToken'?: "nextPageToken";
}

export interface ListOldDataResponse__Output {
  'items': (_fairlead_eval_v1_OldItem__Output)[];
  'nextPageToken'?: (string);
  '_nextPageToken'?: "nextPageToken";
}
