// Original file: lf/a2a/v1/a2a.proto


export interface APIKeySecurityScheme {
  'description'?: (string);
  'location'?: (string);
  'name'?: (string);
}

export interface APIKeySecurityScheme__Output {
  'description': (string);
  'location': (string);
  'name': (string);
}
