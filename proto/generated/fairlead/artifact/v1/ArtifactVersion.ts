// Original file: fairlead/artifact/v1/artifact_service.proto

import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../../google/protobuf/Timestamp.ts';
import type { Long } from '@grpc/proto-loader';

export interface ArtifactVersion {
  'version'?: (number | string | Long);
  'canonicalUri'?: (string);
  'customMetadataJson'?: (Buffer | Uint8Array | string);
  'createTime'?: (_google_protobuf_Timestamp | null);
  'mimeType'?: (string);
  '_mimeType'?: "mimeType";
}

export interface ArtifactVersion__Output {
  'version': (number);
  'canonicalUri': (string);
  'customMetadataJson': (Buffer);
  'createTime': (_google_protobuf_Timestamp__Output | null);
  'mimeType'?: (string);
  '_mimeType'?: "mimeType";
}
