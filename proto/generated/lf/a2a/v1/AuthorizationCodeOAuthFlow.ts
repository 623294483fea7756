// Original file: lf/a2a/v1/a2a.proto


export interface AuthorizationCodeOAuthFlow {
  'authorizationUrl'?: (string);
  'tokenUrl'?: (string);
  'refreshUrl'?: (string);
  'scopes'?: ({[key: string]: string});
  'pkceRequired'?: (boolean);
}

export interface AuthorizationCodeOAuthFlow__Output {
  'authorizationUrl': (string);
  'tokenUrl': (string);
  'refreshUrl': (string);
  'scopes': ({[key: string]: string});
  'pkceRequired': (boolean);
}
