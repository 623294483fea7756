// Original file: lf/a2a/v1/a2a.proto


export interface AgentInterface {
  'url'?: (string);
  'protocolBinding'?: (string);
  'tenant'?: (string);
  'protocolVersion'?: (string);
}

export interface AgentInterface__Output {
  'url': (string);
  'protocolBinding': (string);
  'tenant': (string);
  'protocolVersion': (string);
}
