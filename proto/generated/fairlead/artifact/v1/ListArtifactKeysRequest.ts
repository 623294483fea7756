// Original file: fairlead/artifact/v1/artifact_service.proto

import type { SessionKey as _fairlead_common_v1_SessionKey, SessionKey__Output as _fairlead_common_v1_SessionKey__Output } from '../../../fairlead/common/v1/SessionKey.ts';

export interface ListArtifactKeysRequest {
  'session'?: (_fairlead_common_v1_SessionKey | null);
  'after'?: (string);
  '_after'?: "after";
}

export interface ListArtifactKeysRequest__Output {
  'session': (_fairlead_common_v1_SessionKey__Output | null);
  'after'?: (string);
  '_after'?: "after";
}
