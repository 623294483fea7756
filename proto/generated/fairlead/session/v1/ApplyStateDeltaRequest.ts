// Original file: fairlead/session/v1/session_service.proto

import type { SessionKey as _fairlead_common_v1_SessionKey, SessionKey__Output as _fairlead_common_v1_SessionKey__Output } from '../../../fairlead/common/v1/SessionKey.ts';

export interface ApplyStateDeltaRequest {
  'key'?: (_fairlead_common_v1_SessionKey | null);
  'stateDeltaJson'?: (Buffer | Uint8Array | string);
  'author'?: (string);
  'invocationId'?: (string);
}

export interface ApplyStateDeltaRequest__Output {
  'key': (_fairlead_common_v1_SessionKey__Output | null);
  'stateDeltaJson': (Buffer);
  'author': (string);
  'invocationId': (string);
}
