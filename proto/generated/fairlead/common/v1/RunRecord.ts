// Original file: fairlead/common/v1/run.proto

import type { SessionKey as _fairlead_common_v1_SessionKey, SessionKey__Output as _fairlead_common_v1_SessionKey__Output } from '../../../fairlead/common/v1/SessionKey.ts';
import type { RunStatus as _fairlead_common_v1_RunStatus, RunStatus__Output as _fairlead_common_v1_RunStatus__Output } from '../../../fairlead/common/v1/RunStatus.ts';
import type { ConcurrencyPolicy as _fairlead_common_v1_ConcurrencyPolicy, ConcurrencyPolicy__Output as _fairlead_common_v1_ConcurrencyPolicy__Output } from '../../../fairlead/common/v1/ConcurrencyPolicy.ts';
import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../../google/protobuf/Timestamp.ts';
import type { RunError as _fairlead_common_v1_RunError, RunError__Output as _fairlead_common_v1_RunError__Output } from '../../../fairlead/common/v1/RunError.ts';
import type { Long } from '@grpc/proto-loader';

export interface RunRecord {
  'runId'?: (string);
  'session'?: (_fairlead_common_v1_SessionKey | null);
  'invocationId'?: (string);
  'requestJson'?: (Buffer | Uint8Array | string);
  'status'?: (_fairlead_common_v1_RunStatus);
  'policy'?: (_fairlead_common_v1_ConcurrencyPolicy);
  'attempts'?: (number);
  'epoch'?: (number | string | Long);
  'holder'?: (string);
  'createdTime'?: (_google_protobuf_Timestamp | null);
  'startedTime'?: (_google_protobuf_Timestamp | null);
  'finishedTime'?: (_google_protobuf_Timestamp | null);
  'deadline'?: (_google_protobuf_Timestamp | null);
  'cancelRequested'?: (boolean);
  'idempotencyKey'?: (string);
  'usageJson'?: (Buffer | Uint8Array | string);
  'error'?: (_fairlead_common_v1_RunError | null);
  'baseRevision'?: (number | string | Long);
  'handovers'?: (number);
  'answeredBy'?: (string);
  'streamKey'?: (string);
  'agentRevision'?: (string);
  '_holder'?: "holder";
  '_idempotencyKey'?: "idempotencyKey";
  '_usageJson'?: "usageJson";
  '_handovers'?: "handovers";
  '_answeredBy'?: "answeredBy";
  '_streamKey'?: "streamKey";
  '_agentRevision'?: "agentRevision";
}

export interface RunRecord__Output {
  'runId': (string);
  'session': (_fairlead_common_v1_SessionKey__Output | null);
  'invocationId': (string);
  'requestJson': (Buffer);
  'status': (_fairlead_common_v1_RunStatus__Output);
  'policy': (_fairlead_common_v1_ConcurrencyPolicy__Output);
  'attempts': (number);
  'epoch': (number);
  'holder'?: (string);
  'createdTime': (_google_protobuf_Timestamp__Output | null);
  'startedTime': (_google_protobuf_Timestamp__Output | null);
  'finishedTime': (_google_protobuf_Timestamp__Output | null);
  'deadline': (_google_protobuf_Timestamp__Output | null);
  'cancelRequested': (boolean);
  'idempotencyKey'?: (string);
  'usageJson'?: (Buffer);
  'error': (_fairlead_common_v1_RunError__Output | null);
  'baseRevision': (number);
  'handovers'?: (number);
  'answeredBy'?: (string);
  'streamKey'?: (string);
  'agentRevision'?: (string);
  '_holder'?: "holder";
  '_idempotencyKey'?: "idempotencyKey";
  '_usageJson'?: "usageJson";
  '_handovers'?: "handovers";
  '_answeredBy'?: "answeredBy";
  '_streamKey'?: "streamKey";
  '_agentRevision'?: "agentRevision";
}
