// Original file: agentplane/eval/v1/eval_service.proto

import type { EvalSetKey as _agentplane_eval_v1_EvalSetKey, EvalSetKey__Output as _agentplane_eval_v1_EvalSetKey__Output } from '../../../agentplane/eval/v1/EvalSetKey.ts';

export interface ListEvalCasesRequest {
  'key'?: (_agentplane_eval_v1_EvalSetKey | null);
}

export interface ListEvalCasesRequest__Output {
  'key': (_agentplane_eval_v1_EvalSetKey__Output | null);
}
