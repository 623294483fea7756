// Original file: fairlead/artifact/v1/artifact_service.proto

import type { ArtifactVersion as _fairlead_artifact_v1_ArtifactVersion, ArtifactVersion__Output as _fairlead_artifact_v1_ArtifactVersion__Output } from '../../../fairlead/artifact/v1/ArtifactVersion.ts';

export interface GetArtifactVersionResponse {
  'version'?: (_fairlead_artifact_v1_ArtifactVersion | null);
}

export interface GetArtifactVersionResponse__Output {
  'version': (_fairlead_artifact_v1_ArtifactVersion__Output | null);
}
