// Original file: fairlead/session/v1/run_journal_service.proto

import type { RunRecord as _fairlead_common_v1_RunRecord, RunRecord__Output as _fairlead_common_v1_RunRecord__Output } from '../../../fairlead/common/v1/RunRecord.ts';

export interface ListRunsResponse {
  'runs'?: (_fairlead_common_v1_RunRecord)[];
  'nextPageToken'?: (string);
  '_nextPageToken'?: "nextPageToken";
}

export interface ListRunsResponse__Output {
  'runs': (_fairlead_common_v1_RunRecord__Output)[];
  'nextPageToken'?: (string);
  '_nextPageToken'?: "nextPageToken";
}
