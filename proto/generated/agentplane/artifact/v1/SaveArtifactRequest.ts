// Original file: agentplane/artifact/v1/artifact_service.proto

import type { SaveArtifactHeader as _agentplane_artifact_v1_SaveArtifactHeader, SaveArtifactHeader__Output as _agentplane_artifact_v1_SaveArtifactHeader__Output } from '../../../agentplane/artifact/v1/SaveArtifactHeader.ts';

export interface SaveArtifactRequest {
  'header'?: (_agentplane_artifact_v1_SaveArtifactHeader | null);
  'chunk'?: (Buffer | Uint8Array | string);
  'payload'?: "header"|"chunk";
}

export interface SaveArtifactRequest__Output {
  'header'?: (_agentplane_artifact_v1_SaveArtifactHeader__Output | null);
  'chunk'?: (Buffer);
  'payload'?: "header"|"chunk";
}
