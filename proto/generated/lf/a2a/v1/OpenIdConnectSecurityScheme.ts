// Original file: lf/a2a/v1/a2a.proto


export interface OpenIdConnectSecurityScheme {
  'description'?: (string);
  'openIdConnectUrl'?: (string);
}

export interface OpenIdConnectSecurityScheme__Output {
  'description': (string);
  'openIdConnectUrl': (string);
}
