// Original file: agentplane/eval/v1/eval_service.proto

import type { EvalSetKey as _agentplane_eval_v1_EvalSetKey, EvalSetKey__Output as _agentplane_eval_v1_EvalSetKey__Output } from '../../../agentplane/eval/v1/EvalSetKey.ts';

export interface GetEvalCaseRequest {
  'key'?: (_agentplane_eval_v1_EvalSetKey | null);
  'evalId'?: (string);
}

export interface GetEvalCaseRequest__Output {
  'key': (_agentplane_eval_v1_EvalSetKey__Output | null);
  'evalId': (string);
}
