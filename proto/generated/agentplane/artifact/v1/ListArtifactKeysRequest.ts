// Original file: agentplane/artifact/v1/artifact_service.proto

import type { SessionKey as _agentplane_common_v1_SessionKey, SessionKey__Output as _agentplane_common_v1_SessionKey__Output } from '../../../agentplane/common/v1/SessionKey.ts';

export interface ListArtifactKeysRequest {
  'session'?: (_agentplane_common_v1_SessionKey | null);
}

export interface ListArtifactKeysRequest__Output {
  'session': (_agentplane_common_v1_SessionKey__Output | null);
}
