// Original file: fairlead/artifact/v1/artifact_service.proto

import type { ArtifactHeader as _fairlead_artifact_v1_ArtifactHeader, ArtifactHeader__Output as _fairlead_artifact_v1_ArtifactHeader__Output } from '../../../fairlead/artifact/v1/ArtifactHeader.ts';
import type { Long } from '@grpc/proto-loader';

export interface DescribeArtifactResponse {
  'version'?: (number | string | Long);
  'header'?: (_fairlead_artifact_v1_ArtifactHeader | null);
}

export interface DescribeArtifactResponse__Output {
  'version': (number);
  'header': (_fairlead_artifact_v1_ArtifactHeader__Output | null);
}
