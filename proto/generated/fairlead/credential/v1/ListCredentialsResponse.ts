// Original file: fairlead/credential/v1/credential_service.proto

import type { CredentialSummary as _fairlead_credential_v1_CredentialSummary, CredentialSummary__Output as _fairlead_credential_v1_CredentialSummary__Output } from '../../../fairlead/credential/v1/CredentialSummary.ts';

export interface ListCredentialsResponse {
  'credentials'?: (_fairlead_credential_v1_CredentialSummary)[];
}

export interface ListCredentialsResponse__Output {
  'credentials': (_fairlead_credential_v1_CredentialSummary__Output)[];
}
