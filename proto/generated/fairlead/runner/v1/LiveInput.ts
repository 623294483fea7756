// Original file: fairlead/runner/v1/runner_service.proto

import type { Long } from '@grpc/proto-loader';

export interface LiveInput {
  'n'?: (number | string | Long);
  'liveRequestJson'?: (Buffer | Uint8Array | string);
}

export interface LiveInput__Output {
  'n': (number);
  'liveRequestJson': (Buffer);
}
