// Original file: fairlead/artifact/v1/artifact_service.proto

import type { OldVersion as _fairlead_artifact_v1_OldVersion, OldVersion__Output as _fairlead_artifact_v1_OldVersion__Output } from '../../../fairlead/artifact/v1/OldVersion.ts';
import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../../google/protobuf/Timestamp.ts';

export interface DeleteOldDataRequest {
  'tenantId'?: (string);
  'appName'?: (string);
  'userId'?: (string);
  'items'?: (_fairlead_artifact_v1_OldVersion)[];
  'before'?: (_google_protobuf_Timestamp | null);
}

export interface DeleteOldDataRequest__Output {
  'tenantId': (string);
  'appName': (string);
  'userId': (string);
  'items': (_fairlead_artifact_v1_OldVersion__Output)[];
  'before': (_google_protobuf_Timestamp__Output | null);
}
