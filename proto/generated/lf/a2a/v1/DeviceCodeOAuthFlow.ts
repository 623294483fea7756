// Original file: lf/a2a/v1/a2a.proto


export interface DeviceCodeOAuthFlow {
  'deviceAuthorizationUrl'?: (string);
  'tokenUrl'?: (string);
  'refreshUrl'?: (string);
  'scopes'?: ({[key: string]: string});
}

export interface DeviceCodeOAuthFlow__Output {
  'deviceAuthorizationUrl': (string);
  'tokenUrl': (string);
  'refreshUrl': (string);
  'scopes': ({[key: string]: string});
}
