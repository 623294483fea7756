// Original file: lf/a2a/v1/a2a.proto

import type { AuthorizationCodeOAuthFlow as _lf_a2a_v1_AuthorizationCodeOAuthFlow, AuthorizationCodeOAuthFlow__Output as _lf_a2a_v1_AuthorizationCodeOAuthFlow__Output } from '../../../lf/a2a/v1/AuthorizationCodeOAuthFlow.ts';
import type { ClientCredentialsOAuthFlow as _lf_a2a_v1_ClientCredentialsOAuthFlow, ClientCredentialsOAuthFlow__Output as _lf_a2a_v1_ClientCredentialsOAuthFlow__Output } from '../../../lf/a2a/v1/ClientCredentialsOAuthFlow.ts';
import type { ImplicitOAuthFlow as _lf_a2a_v1_ImplicitOAuthFlow, ImplicitOAuthFlow__Output as _lf_a2a_v1_ImplicitOAuthFlow__Output } from '../../../lf/a2a/v1/ImplicitOAuthFlow.ts';
import type { PasswordOAuthFlow as _lf_a2a_v1_PasswordOAuthFlow, PasswordOAuthFlow__Output as _lf_a2a_v1_PasswordOAuthFlow__Output } from '../../../lf/a2a/v1/PasswordOAuthFlow.ts';
import type { DeviceCodeOAuthFlow as _lf_a2a_v1_DeviceCodeOAuthFlow, DeviceCodeOAuthFlow__Output as _lf_a2a_v1_DeviceCodeOAuthFlow__Output } from '../../../lf/a2a/v1/DeviceCodeOAuthFlow.ts';

export interface OAuthFlows {
  'authorizationCode'?: (_lf_a2a_v1_AuthorizationCodeOAuthFlow | null);
  'clientCredentials'?: (_lf_a2a_v1_ClientCredentialsOAuthFlow | null);
  'implicit'?: (_lf_a2a_v1_ImplicitOAuthFlow | null);
  'password'?: (_lf_a2a_v1_PasswordOAuthFlow | null);
  'deviceCode'?: (_lf_a2a_v1_DeviceCodeOAuthFlow | null);
  'flow'?: "authorizationCode"|"clientCredentials"|"implicit"|"password"|"deviceCode";
}

export interface OAuthFlows__Output {
  'authorizationCode'?: (_lf_a2a_v1_AuthorizationCodeOAuthFlow__Output | null);
  'clientCredentials'?: (_lf_a2a_v1_ClientCredentialsOAuthFlow__Output | null);
  'implicit'?: (_lf_a2a_v1_ImplicitOAuthFlow__Output | null);
  'password'?: (_lf_a2a_v1_PasswordOAuthFlow__Output | null);
  'deviceCode'?: (_lf_a2a_v1_DeviceCodeOAuthFlow__Output | null);
  'flow'?: "authorizationCode"|"clientCredentials"|"implicit"|"password"|"deviceCode";
}
