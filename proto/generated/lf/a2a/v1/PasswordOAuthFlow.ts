// Original file: lf/a2a/v1/a2a.proto


export interface PasswordOAuthFlow {
  'tokenUrl'?: (string);
  'refreshUrl'?: (string);
  'scopes'?: ({[key: string]: string});
}

export interface PasswordOAuthFlow__Output {
  'tokenUrl': (string);
  'refreshUrl': (string);
  'scopes': ({[key: string]: string});
}
