// Original file: lf/a2a/v1/a2a.proto

import type { OAuthFlows as _lf_a2a_v1_OAuthFlows, OAuthFlows__Output as _lf_a2a_v1_OAuthFlows__Output } from '../../../lf/a2a/v1/OAuthFlows.ts';

export interface OAuth2SecurityScheme {
  'description'?: (string);
  'flows'?: (_lf_a2a_v1_OAuthFlows | null);
  'oauth2MetadataUrl'?: (string);
}

export interface OAuth2SecurityScheme__Output {
  'description': (string);
  'flows': (_lf_a2a_v1_OAuthFlows__Output | null);
  'oauth2MetadataUrl': (string);
}
