// Original file: fairlead/runner/v1/runner_service.proto


export interface LiveInput {
  'n'?: (number);
  'liveRequestJson'?: (Buffer | Uint8Array | string);
}

export interface LiveInput__Output {
  'n': (number);
  'liveRequestJson': (Buffer);
}
