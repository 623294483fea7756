// Original file: fairlead/session/v1/run_journal_service.proto

import type { RunRecord as _fairlead_common_v1_RunRecord, RunRecord__Output as _fairlead_common_v1_RunRecord__Output } from '../../../fairlead/common/v1/RunRecord.ts';
import type { Event as _fairlead_common_v1_Event, Event__Output as _fairlead_common_v1_Event__Output } from '../../../fairlead/common/v1/Event.ts';
import type { Long } from '@grpc/proto-loader';

export interface FinishRunResponse {
  'run'?: (_fairlead_common_v1_RunRecord | null);
  'revision'?: (number | string | Long);
  'sequences'?: (number | string | Long)[];
  'missed'?: (_fairlead_common_v1_Event)[];
}

export interface FinishRunResponse__Output {
  'run': (_fairlead_common_v1_RunRecord__Output | null);
  'revision': (number);
  'sequences': (number)[];
  'missed': (_fairlead_common_v1_Event__Output)[];
}
