// Original file: fairlead/artifact/v1/artifact_service.proto

import type { ArtifactHeader as _fairlead_artifact_v1_ArtifactHeader, ArtifactHeader__Output as _fairlead_artifact_v1_ArtifactHeader__Output } from '../../../fairlead/artifact/v1/ArtifactHeader.ts';

export interface LoadArtifactResponse {
  'header'?: (_fairlead_artifact_v1_ArtifactHeader | null);
  'chunk'?: (Buffer | Uint8Array | string);
  'payload'?: "header"|"chunk";
}

export interface LoadArtifactResponse__Output {
  'header'?: (_fairlead_artifact_v1_ArtifactHeader__Output | null);
  'chunk'?: (Buffer);
  'payload'?: "header"|"chunk";
}
