// Original file: fairlead/artifact/v1/artifact_service.proto

import type { SessionKey as _fairlead_common_v1_SessionKey, SessionKey__Output as _fairlead_common_v1_SessionKey__Output } from '../../../fairlead/common/v1/SessionKey.ts';

export interface DeleteSessionArtifactsRequest {
  'session'?: (_fairlead_common_v1_SessionKey | null);
}

export interface DeleteSessionArtifactsRequest__Output {
  'session': (_fairlead_common_v1_SessionKey__Output | null);
}
