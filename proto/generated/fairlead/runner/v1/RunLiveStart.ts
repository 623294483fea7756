// Original file: fairlead/runner/v1/runner_service.proto

import type { SessionKey as _fairlead_common_v1_SessionKey, SessionKey__Output as _fairlead_common_v1_SessionKey__Output } from '../../../fairlead/common/v1/SessionKey.ts';

export interface RunLiveStart {
  'session'?: (_fairlead_common_v1_SessionKey | null);
  'runConfigJson'?: (Buffer | Uint8Array | string);
}

export interface RunLiveStart__Output {
  'session': (_fairlead_common_v1_SessionKey__Output | null);
  'runConfigJson': (Buffer);
}
