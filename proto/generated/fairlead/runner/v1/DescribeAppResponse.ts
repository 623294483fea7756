// Original file: fairlead/runner/v1/runner_service.proto


export interface DescribeAppResponse {
  'appJson'?: (Buffer | Uint8Array | string);
}

export interface DescribeAppResponse__Output {
  'appJson': (Buffer);
}
