// Original file: fairlead/credential/v1/credential_service.proto

import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../../google/protobuf/Timestamp.ts';

export interface CredentialSummary {
  'appName'?: (string);
  'credentialKey'?: (string);
  'authType'?: (string);
  'createdTime'?: (_google_protobuf_Timestamp | null);
  'updatedTime'?: (_google_protobuf_Timestamp | null);
}

export interface CredentialSummary__Output {
  'appName': (string);
  'credentialKey': (string);
  'authType': (string);
  'createdTime': (_google_protobuf_Timestamp__Output | null);
  'updatedTime': (_google_protobuf_Timestamp__Output | null);
}
