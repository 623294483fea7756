// Original file: agentplane/eval/v1/eval_service.proto

import type { EvalSetKey as _agentplane_eval_v1_EvalSetKey, EvalSetKey__Output as _agentplane_eval_v1_EvalSetKey__Output } from '../../../agentplane/eval/v1/EvalSetKey.ts';

export interface AddEvalCaseRequest {
  'key'?: (_agentplane_eval_v1_EvalSetKey | null);
  'jsonChunk'?: (Buffer | Uint8Array | string);
}

export interface AddEvalCaseRequest__Output {
  'key': (_agentplane_eval_v1_EvalSetKey__Output | null);
  'jsonChunk': (Buffer);
}
