// Original file: agentplane/artifact/v1/artifact_service.proto

import type { ArtifactVersion as _agentplane_artifact_v1_ArtifactVersion, ArtifactVersion__Output as _agentplane_artifact_v1_ArtifactVersion__Output } from '../../../agentplane/artifact/v1/ArtifactVersion.ts';

export interface ListArtifactVersionsResponse {
  'versions'?: (_agentplane_artifact_v1_ArtifactVersion)[];
}

export interface ListArtifactVersionsResponse__Output {
  'versions': (_agentplane_artifact_v1_ArtifactVersion__Output)[];
}
