// Original file: lf/a2a/v1/a2a.proto


export interface AgentProvider {
  'url'?: (string);
  'organization'?: (string);
}

export interface AgentProvider__Output {
  'url': (string);
  'organization': (string);
}
