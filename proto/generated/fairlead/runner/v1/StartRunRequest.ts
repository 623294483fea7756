// Original file: fairlead/runner/v1/runner_service.proto

import type { SessionKey as _fairlead_common_v1_SessionKey, SessionKey__Output as _fairlead_common_v1_SessionKey__Output } from '../../../fairlead/common/v1/SessionKey.ts';
import type { ConcurrencyPolicy as _fairlead_common_v1_ConcurrencyPolicy, ConcurrencyPolicy__Output as _fairlead_common_v1_ConcurrencyPolicy__Output } from '../../../fairlead/common/v1/ConcurrencyPolicy.ts';
import type { Duration as _google_protobuf_Duration, Duration__Output as _google_protobuf_Duration__Output } from '../../../google/protobuf/Duration.ts';

export interface StartRunRequest {
  'session'?: (_fairlead_common_v1_SessionKey | null);
  'requestJson'?: (Buffer | Uint8Array | string);
  'policy'?: (_fairlead_common_v1_ConcurrencyPolicy);
  'idempotencyKey'?: (string);
  'timeout'?: (_google_protobuf_Duration | null);
  'runId'?: (string);
  'streamKey'?: (string);
  '_idempotencyKey'?: "idempotencyKey";
  '_runId'?: "runId";
  '_streamKey'?: "streamKey";
}

export interface StartRunRequest__Output {
  'session': (_fairlead_common_v1_SessionKey__Output | null);
  'requestJson': (Buffer);
  'policy': (_fairlead_common_v1_ConcurrencyPolicy__Output);
  'idempotencyKey'?: (string);
  'timeout': (_google_protobuf_Duration__Output | null);
  'runId'?: (string);
  'streamKey'?: (string);
  '_idempotencyKey'?: "idempotencyKey";
  '_runId'?: "runId";
  '_streamKey'?: "streamKey";
}
