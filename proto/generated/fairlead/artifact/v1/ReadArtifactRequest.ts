// Original file: fairlead/artifact/v1/artifact_service.proto

import type { ArtifactKey as _fairlead_artifact_v1_ArtifactKey, ArtifactKey__Output as _fairlead_artifact_v1_ArtifactKey__Output } from '../../../fairlead/artifact/v1/ArtifactKey.ts';
import type { Long } from '@grpc/proto-loader';

export interface ReadArtifactRequest {
  'key'?: (_fairlead_artifact_v1_ArtifactKey | null);
  'version'?: (number | string | Long);
  'from'?: (number | string | Long);
  'bytes'?: (number);
}

export interface ReadArtifactRequest__Output {
  'key': (_fairlead_artifact_v1_ArtifactKey__Output | null);
  'version': (number);
  'from': (number);
  'bytes': (number);
}
