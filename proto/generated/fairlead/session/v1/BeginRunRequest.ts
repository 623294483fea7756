// Original file: fairlead/session/v1/run_journal_service.proto

import type { SessionKey as _fairlead_common_v1_SessionKey, SessionKey__Output as _fairlead_common_v1_SessionKey__Output } from '../../../fairlead/common/v1/SessionKey.ts';
import type { ConcurrencyPolicy as _fairlead_common_v1_ConcurrencyPolicy, ConcurrencyPolicy__Output as _fairlead_common_v1_ConcurrencyPolicy__Output } from '../../../fairlead/common/v1/ConcurrencyPolicy.ts';
import type { Duration as _google_protobuf_Duration, Duration__Output as _google_protobuf_Duration__Output } from '../../../google/protobuf/Duration.ts';
import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../../google/protobuf/Timestamp.ts';
import type { Event as _fairlead_common_v1_Event, Event__Output as _fairlead_common_v1_Event__Output } from '../../../fairlead/common/v1/Event.ts';
import type { RunScope as _fairlead_session_v1_RunScope, RunScope__Output as _fairlead_session_v1_RunScope__Output } from '../../../fairlead/session/v1/RunScope.ts';
import type { Long } from '@grpc/proto-loader';

export interface BeginRunRequest {
  'runId'?: (string);
  'session'?: (_fairlead_common_v1_SessionKey | null);
  'invocationId'?: (string);
  'requestJson'?: (Buffer | Uint8Array | string);
  'policy'?: (_fairlead_common_v1_ConcurrencyPolicy);
  'holder'?: (string);
  'leaseDuration'?: (_google_protobuf_Duration | null);
  'haveRevision'?: (number | string | Long);
  'haveIncarnation'?: (string);
  'deadline'?: (_google_protobuf_Timestamp | null);
  'idempotencyKey'?: (string);
  'maxQueued'?: (number);
  'abandonAfter'?: (_google_protobuf_Duration | null);
  'fromHistoryStart'?: (boolean);
  'opening'?: (_fairlead_common_v1_Event | null);
  'limitedTo'?: (_fairlead_session_v1_RunScope);
  'streamKey'?: (string);
  'acceptsSessionGrant'?: (boolean);
  'agentRevision'?: (string);
  'movesFrom'?: (string);
  'leftFor'?: (string);
  '_haveIncarnation'?: "haveIncarnation";
  '_idempotencyKey'?: "idempotencyKey";
  '_maxQueued'?: "maxQueued";
  '_streamKey'?: "streamKey";
  '_agentRevision'?: "agentRevision";
  '_movesFrom'?: "movesFrom";
  '_leftFor'?: "leftFor";
}

export interface BeginRunRequest__Output {
  'runId': (string);
  'session': (_fairlead_common_v1_SessionKey__Output | null);
  'invocationId': (string);
  'requestJson': (Buffer);
  'policy': (_fairlead_common_v1_ConcurrencyPolicy__Output);
  'holder': (string);
  'leaseDuration': (_google_protobuf_Duration__Output | null);
  'haveRevision': (number);
  'haveIncarnation'?: (string);
  'deadline': (_google_protobuf_Timestamp__Output | null);
  'idempotencyKey'?: (string);
  'maxQueued'?: (number);
  'abandonAfter': (_google_protobuf_Duration__Output | null);
  'fromHistoryStart': (boolean);
  'opening': (_fairlead_common_v1_Event__Output | null);
  'limitedTo': (_fairlead_session_v1_RunScope__Output);
  'streamKey'?: (string);
  'acceptsSessionGrant': (boolean);
  'agentRevision'?: (string);
  'movesFrom'?: (string);
  'leftFor'?: (string);
  '_haveIncarnation'?: "haveIncarnation";
  '_idempotencyKey'?: "idempotencyKey";
  '_maxQueued'?: "maxQueued";
  '_streamKey'?: "streamKey";
  '_agentRevision'?: "agentRevision";
  '_movesFrom'?: "movesFrom";
  '_leftFor'?: "leftFor";
}
