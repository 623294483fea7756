// Original file: agentplane/artifact/v1/artifact_service.proto

import type { ArtifactKey as _agentplane_artifact_v1_ArtifactKey, ArtifactKey__Output as _agentplane_artifact_v1_ArtifactKey__Output } from '../../../agentplane/artifact/v1/ArtifactKey.ts';

export interface ListArtifactVersionsRequest {
  'key'?: (_agentplane_artifact_v1_ArtifactKey | null);
}

export interface ListArtifactVersionsRequest__Output {
  'key': (_agentplane_artifact_v1_ArtifactKey__Output | null);
}
