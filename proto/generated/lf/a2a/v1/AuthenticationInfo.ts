// Original file: lf/a2a/v1/a2a.proto


export interface AuthenticationInfo {
  'scheme'?: (string);
  'credentials'?: (string);
}

export interface AuthenticationInfo__Output {
  'scheme': (string);
  'credentials': (string);
}
