// Original file: agentplane/session/v1/session_service.proto

import type { SessionKey as _agentplane_common_v1_SessionKey, SessionKey__Output as _agentplane_common_v1_SessionKey__Output } from '../../../agentplane/common/v1/SessionKey.ts';

export interface ApplyStateDeltaRequest {
  'key'?: (_agentplane_common_v1_SessionKey | null);
  'stateDeltaJson'?: (Buffer | Uint8Array | string);
  'author'?: (string);
  'invocationId'?: (string);
}

export interface ApplyStateDeltaRequest__Output {
  'key': (_agentplane_common_v1_SessionKey__Output | null);
  'stateDeltaJson': (Buffer);
  'author': (string);
  'invocationId': (string);
}
