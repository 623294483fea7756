// Original file: lf/a2a/v1/a2a.proto


export interface ClientCredentialsOAuthFlow {
  'tokenUrl'?: (string);
  'refreshUrl'?: (string);
  'scopes'?: ({[key: string]: string});
}

export interface ClientCredentialsOAuthFlow__Output {
  'tokenUrl': (string);
  'refreshUrl': (string);
  'scopes': ({[key: string]: string});
}
