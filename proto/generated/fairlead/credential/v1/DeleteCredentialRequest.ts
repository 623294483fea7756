// Original file: fairlead/credential/v1/credential_service.proto

import type { CredentialOwner as _fairlead_credential_v1_CredentialOwner, CredentialOwner__Output as _fairlead_credential_v1_CredentialOwner__Output } from '../../../fairlead/credential/v1/CredentialOwner.ts';
import type { Long } from '@grpc/proto-loader';

export interface DeleteCredentialRequest {
  'owner'?: (_fairlead_credential_v1_CredentialOwner | null);
  'credentialKey'?: (string);
  'ifVersion'?: (number | string | Long);
  '_ifVersion'?: "ifVersion";
}

export interface DeleteCredentialRequest__Output {
  'owner': (_fairlead_credential_v1_CredentialOwner__Output | null);
  'credentialKey': (string);
  'ifVersion'?: (number);
  '_ifVersion'?: "ifVersion";
}
