// Original file: fairlead/runner/v1/runner_service.proto

import type { EmittedEvent as _fairlead_runner_v1_EmittedEvent, EmittedEvent__Output as _fairlead_runner_v1_EmittedEvent__Output } from '../../../fairlead/runner/v1/EmittedEvent.ts';

export interface LiveEmission {
  'epoch'?: (number);
  'n'?: (number);
  'event'?: (_fairlead_runner_v1_EmittedEvent | null);
  'otherJson'?: (Buffer | Uint8Array | string);
  'entry'?: "event"|"otherJson";
}

export interface LiveEmission__Output {
  'epoch': (number);
  'n': (number);
  'event'?: (_fairlead_runner_v1_EmittedEvent__Output | null);
  'otherJson'?: (Buffer);
  'entry'?: "event"|"otherJson";
}
