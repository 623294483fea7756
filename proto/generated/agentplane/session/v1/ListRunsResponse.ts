// Original file: agentplane/session/v1/run_journal_service.proto

import type { RunRecord as _agentplane_common_v1_RunRecord, RunRecord__Output as _agentplane_common_v1_RunRecord__Output } from '../../../agentplane/common/v1/RunRecord.ts';

export interface ListRunsResponse {
  'runs'?: (_agentplane_common_v1_RunRecord)[];
  'nextPageToken'?: (string);
  '_nextPageToken'?: "nextPageToken";
}

export interface ListRunsResponse__Output {
  'runs': (_agentplane_common_v1_RunRecord__Output)[];
  'nextPageToken'?: (string);
  '_nextPageToken'?: "nextPageToken";
}
