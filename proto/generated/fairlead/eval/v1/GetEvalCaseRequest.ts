// Original file: fairlead/eval/v1/eval_service.proto

import type { EvalSetKey as _fairlead_eval_v1_EvalSetKey, EvalSetKey__Output as _fairlead_eval_v1_EvalSetKey__Output } from '../../../fairlead/eval/v1/EvalSetKey.ts';
import type { Long } from '@grpc/proto-loader';

export interface GetEvalCaseRequest {
  'key'?: (_fairlead_eval_v1_EvalSetKey | null);
  'evalId'?: (string);
  'maxBytes'?: (number | string | Long);
  '_maxBytes'?: "maxBytes";
}

export interface GetEvalCaseRequest__Output {
  'key': (_fairlead_eval_v1_EvalSetKey__Output | null);
  'evalId': (string);
  'maxBytes'?: (number);
  '_maxBytes'?: "maxBytes";
}
