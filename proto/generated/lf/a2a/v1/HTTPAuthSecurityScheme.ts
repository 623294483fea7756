// Original file: lf/a2a/v1/a2a.proto


export interface HTTPAuthSecurityScheme {
  'description'?: (string);
  'scheme'?: (string);
  'bearerFormat'?: (string);
}

export interface HTTPAuthSecurityScheme__Output {
  'description': (string);
  'scheme': (string);
  'bearerFormat': (string);
}
