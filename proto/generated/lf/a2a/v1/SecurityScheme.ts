// Original file: lf/a2a/v1/a2a.proto

import type { APIKeySecurityScheme as _lf_a2a_v1_APIKeySecurityScheme, APIKeySecurityScheme__Output as _lf_a2a_v1_APIKeySecurityScheme__Output } from '../../../lf/a2a/v1/APIKeySecurityScheme.ts';
import type { HTTPAuthSecurityScheme as _lf_a2a_v1_HTTPAuthSecurityScheme, HTTPAuthSecurityScheme__Output as _lf_a2a_v1_HTTPAuthSecurityScheme__Output } from '../../../lf/a2a/v1/HTTPAuthSecurityScheme.ts';
import type { OAuth2SecurityScheme as _lf_a2a_v1_OAuth2SecurityScheme, OAuth2SecurityScheme__Output as _lf_a2a_v1_OAuth2SecurityScheme__Output } from '../../../lf/a2a/v1/OAuth2SecurityScheme.ts';
import type { OpenIdConnectSecurityScheme as _lf_a2a_v1_OpenIdConnectSecurityScheme, OpenIdConnectSecurityScheme__Output as _lf_a2a_v1_OpenIdConnectSecurityScheme__Output } from '../../../lf/a2a/v1/OpenIdConnectSecurityScheme.ts';
import type { MutualTlsSecurityScheme as _lf_a2a_v1_MutualTlsSecurityScheme, MutualTlsSecurityScheme__Output as _lf_a2a_v1_MutualTlsSecurityScheme__Output } from '../../../lf/a2a/v1/MutualTlsSecurityScheme.ts';

export interface SecurityScheme {
  'apiKeySecurityScheme'?: (_lf_a2a_v1_APIKeySecurityScheme | null);
  'httpAuthSecurityScheme'?: (_lf_a2a_v1_HTTPAuthSecurityScheme | null);
  'oauth2SecurityScheme'?: (_lf_a2a_v1_OAuth2SecurityScheme | null);
  'openIdConnectSecurityScheme'?: (_lf_a2a_v1_OpenIdConnectSecurityScheme | null);
  'mtlsSecurityScheme'?: (_lf_a2a_v1_MutualTlsSecurityScheme | null);
  'scheme'?: "apiKeySecurityScheme"|"httpAuthSecurityScheme"|"oauth2SecurityScheme"|"openIdConnectSecurityScheme"|"mtlsSecurityScheme";
}

export interface SecurityScheme__Output {
  'apiKeySecurityScheme'?: (_lf_a2a_v1_APIKeySecurityScheme__Output | null);
  'httpAuthSecurityScheme'?: (_lf_a2a_v1_HTTPAuthSecurityScheme__Output | null);
  'oauth2SecurityScheme'?: (_lf_a2a_v1_OAuth2SecurityScheme__Output | null);
  'openIdConnectSecurityScheme'?: (_lf_a2a_v1_OpenIdConnectSecurityScheme__Output | null);
  'mtlsSecurityScheme'?: (_lf_a2a_v1_MutualTlsSecurityScheme__Output | null);
  'scheme'?: "apiKeySecurityScheme"|"httpAuthSecurityScheme"|"oauth2SecurityScheme"|"openIdConnectSecurityScheme"|"mtlsSecurityScheme";
}
