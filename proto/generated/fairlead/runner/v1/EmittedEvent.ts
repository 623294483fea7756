// Original file: fairlead/runner/v1/runner_service.proto

import type { Long } from '@grpc/proto-loader';

export interface EmittedEvent {
  'eventId'?: (string);
  'json'?: (string);
  'partial'?: (boolean);
  'sequence'?: (number | string | Long);
  '_sequence'?: "sequence";
}

export interface EmittedEvent__Output {
  'eventId': (string);
  'json': (string);
  'partial': (boolean);
  'sequence'?: (number);
  '_sequence'?: "sequence";
}
