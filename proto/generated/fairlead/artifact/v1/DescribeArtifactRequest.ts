// Original file: fairlead/artifact/v1/artifact_service.proto

import type { ArtifactKey as _fairlead_artifact_v1_ArtifactKey, ArtifactKey__Output as _fairlead_artifact_v1_ArtifactKey__Output } from '../../../fairlead/artifact/v1/ArtifactKey.ts';
import type { Long } from '@grpc/proto-loader';

export interface DescribeArtifactRequest {
  'key'?: (_fairlead_artifact_v1_ArtifactKey | null);
  'version'?: (number | string | Long);
  '_version'?: "version";
}

export interface DescribeArtifactRequest__Output {
  'key': (_fairlead_artifact_v1_ArtifactKey__Output | null);
  'version'?: (number);
  '_version'?: "version";
}
