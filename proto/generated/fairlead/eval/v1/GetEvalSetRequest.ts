// Original file: fairlead/eval/v1/eval_service.proto

import type { EvalSetKey as _fairlead_eval_v1_EvalSetKey, EvalSetKey__Output as _fairlead_eval_v1_EvalSetKey__Output } from '../../../fairlead/eval/v1/EvalSetKey.ts';
import type { Long } from '@grpc/proto-loader';

export interface GetEvalSetRequest {
  'key'?: (_fairlead_eval_v1_EvalSetKey | null);
  'maxBytes'?: (number | string | Long);
  '_maxBytes'?: "maxBytes";
}

export interface GetEvalSetRequest__Output {
  'key': (_fairlead_eval_v1_EvalSetKey__Output | null);
  'maxBytes'?: (number);
  '_maxBytes'?: "maxBytes";
}
