// Original file: fairlead/credential/v1/credential_service.proto

import type { CredentialOwner as _fairlead_credential_v1_CredentialOwner, CredentialOwner__Output as _fairlead_credential_v1_CredentialOwner__Output } from '../../../fairlead/credential/v1/CredentialOwner.ts';

export interface LoadCredentialRequest {
  'owner'?: (_fairlead_credential_v1_CredentialOwner | null);
  'credentialKey'?: (string);
}

export interface LoadCredentialRequest__Output {
  'owner': (_fairlead_credential_v1_CredentialOwner__Output | null);
  'credentialKey': (string);
}
