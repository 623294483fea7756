// Original file: lf/a2a/v1/a2a.proto


export interface MutualTlsSecurityScheme {
  'description'?: (string);
}

export interface MutualTlsSecurityScheme__Output {
  'description': (string);
}
