// Original file: fairlead/artifact/v1/artifact_service.proto

import type { ArtifactKey as _fairlead_artifact_v1_ArtifactKey, ArtifactKey__Output as _fairlead_artifact_v1_ArtifactKey__Output } from '../../../fairlead/artifact/v1/ArtifactKey.ts';
import type { Long } from '@grpc/proto-loader';

export interface ListVersionsRequest {
  'key'?: (_fairlead_artifact_v1_ArtifactKey | null);
  'after'?: (number | string | Long);
  '_after'?: "after";
}

export interface ListVersionsRequest__Output {
  'key': (_fairlead_artifact_v1_ArtifactKey__Output | null);
  'after'?: (number);
  '_after'?: "after";
}
