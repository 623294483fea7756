// Original file: fairlead/runner/v1/runner_service.proto


export interface RunLiveResponse {
  'eventJson'?: (Buffer | Uint8Array | string);
}

export interface RunLiveResponse__Output {
  'eventJson': (Buffer);
}
