// Original file: fairlead/session/v1/run_journal_service.proto

import type { SessionKey as _fairlead_common_v1_SessionKey, SessionKey__Output as _fairlead_common_v1_SessionKey__Output } from '../../../fairlead/common/v1/SessionKey.ts';
import type { RunStatus as _fairlead_common_v1_RunStatus, RunStatus__Output as _fairlead_common_v1_RunStatus__Output } from '../../../fairlead/common/v1/RunStatus.ts';
import type { Long } from '@grpc/proto-loader';

export interface ListRunsRequest {
  'session'?: (_fairlead_common_v1_SessionKey | null);
  'appName'?: (string);
  'statuses'?: (_fairlead_common_v1_RunStatus)[];
  'pageSize'?: (number);
  'pageToken'?: (string);
  'userId'?: (string);
  'tenantId'?: (string);
  'maxCharacters'?: (number | string | Long);
  '_appName'?: "appName";
  '_pageSize'?: "pageSize";
  '_pageToken'?: "pageToken";
  '_userId'?: "userId";
  '_maxCharacters'?: "maxCharacters";
}

export interface ListRunsRequest__Output {
  'session': (_fairlead_common_v1_SessionKey__Output | null);
  'appName'?: (string);
  'statuses': (_fairlead_common_v1_RunStatus__Output)[];
  'pageSize'?: (number);
  'pageToken'?: (string);
  'userId'?: (string);
  'tenantId': (string);
  'maxCharacters'?: (number);
  '_appName'?: "appName";
  '_pageSize'?: "pageSize";
  '_pageToken'?: "pageToken";
  '_userId'?: "userId";
  '_maxCharacters'?: "maxCharacters";
}
