// Original file: fairlead/eval/v1/eval_service.proto

import type { EvalSetKey as _fairlead_eval_v1_EvalSetKey, EvalSetKey__Output as _fairlead_eval_v1_EvalSetKey__Output } from '../../../fairlead/eval/v1/EvalSetKey.ts';

export interface DeleteEvalSetRequest {
  'key'?: (_fairlead_eval_v1_EvalSetKey | null);
}

export interface DeleteEvalSetRequest__Output {
  'key': (_fairlead_eval_v1_EvalSetKey__Output | null);
}
