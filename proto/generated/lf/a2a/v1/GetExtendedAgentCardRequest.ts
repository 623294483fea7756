// Original file: lf/a2a/v1/a2a.proto


export interface GetExtendedAgentCardRequest {
  'tenant'?: (string);
}

export interface GetExtendedAgentCardRequest__Output {
  'tenant': (string);
}
