// Original file: fairlead/artifact/v1/artifact_service.proto

import type { Long } from '@grpc/proto-loader';

export interface ArtifactHeader {
  'partJson'?: (Buffer | Uint8Array | string);
  'contentBytes'?: (number | string | Long);
  '_contentBytes'?: "contentBytes";
}

export interface ArtifactHeader__Output {
  'partJson': (Buffer);
  'contentBytes'?: (number);
  '_contentBytes'?: "contentBytes";
}
