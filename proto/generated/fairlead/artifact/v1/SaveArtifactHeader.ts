// Original file: fairlead/artifact/v1/artifact_service.proto

import type { ArtifactKey as _fairlead_artifact_v1_ArtifactKey, ArtifactKey__Output as _fairlead_artifact_v1_ArtifactKey__Output } from '../../../fairlead/artifact/v1/ArtifactKey.ts';
import type { ArtifactHeader as _fairlead_artifact_v1_ArtifactHeader, ArtifactHeader__Output as _fairlead_artifact_v1_ArtifactHeader__Output } from '../../../fairlead/artifact/v1/ArtifactHeader.ts';

export interface SaveArtifactHeader {
  'key'?: (_fairlead_artifact_v1_ArtifactKey | null);
  'artifact'?: (_fairlead_artifact_v1_ArtifactHeader | null);
  'customMetadataJson'?: (Buffer | Uint8Array | string);
  '_customMetadataJson'?: "customMetadataJson";
}

export interface SaveArtifactHeader__Output {
  'key': (_fairlead_artifact_v1_ArtifactKey__Output | null);
  'artifact': (_fairlead_artifact_v1_ArtifactHeader__Output | null);
  'customMetadataJson'?: (Buffer);
  '_customMetadataJson'?: "customMetadataJson";
}
