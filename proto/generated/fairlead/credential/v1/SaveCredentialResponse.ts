// Original file: fairlead/credential/v1/credential_service.proto

import type { Long } from '@grpc/proto-loader';

export interface SaveCredentialResponse {
  'version'?: (number | string | Long);
  '_version'?: "version";
}

export interface SaveCredentialResponse__Output {
  'version'?: (number);
  '_version'?: "version";
}
