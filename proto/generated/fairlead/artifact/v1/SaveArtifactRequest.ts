// Original file: fairlead/artifact/v1/artifact_service.proto

import type { SaveArtifactHeader as _fairlead_artifact_v1_SaveArtifactHeader, SaveArtifactHeader__Output as _fairlead_artifact_v1_SaveArtifactHeader__Output } from '../../../fairlead/artifact/v1/SaveArtifactHeader.ts';

export interface SaveArtifactRequest {
  'header'?: (_fairlead_artifact_v1_SaveArtifactHeader | null);
  'chunk'?: (Buffer | Uint8Array | string);
  'payload'?: "header"|"chunk";
}

export interface SaveArtifactRequest__Output {
  'header'?: (_fairlead_artifact_v1_SaveArtifactHeader__Output | null);
  'chunk'?: (Buffer);
  'payload'?: "header"|"chunk";
}
