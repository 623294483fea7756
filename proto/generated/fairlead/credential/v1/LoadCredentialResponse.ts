// Original file: fairlead/credential/v1/credential_service.proto

import type { Long } from '@grpc/proto-loader';

export interface LoadCredentialResponse {
  'credentialJson'?: (Buffer | Uint8Array | string);
  'version'?: (number | string | Long);
  '_credentialJson'?: "credentialJson";
}

export interface LoadCredentialResponse__Output {
  'credentialJson'?: (Buffer);
  'version': (number);
  '_credentialJson'?: "credentialJson";
}
