// Original file: agentplane/session/v1/session_service.proto

import type { SessionKey as _agentplane_common_v1_SessionKey, SessionKey__Output as _agentplane_common_v1_SessionKey__Output } from '../../../agentplane/common/v1/SessionKey.ts';
import type { Long } from '@grpc/proto-loader';

export interface ListEventsRequest {
  'key'?: (_agentplane_common_v1_SessionKey | null);
  'afterRevision'?: (number | string | Long);
  'pageSize'?: (number);
  'pageToken'?: (string);
  'fromLoadBound'?: (boolean);
  '_afterRevision'?: "afterRevision";
  '_pageSize'?: "pageSize";
  '_pageToken'?: "pageToken";
}

export interface ListEventsRequest__Output {
  'key': (_agentplane_common_v1_SessionKey__Output | null);
  'afterRevision'?: (string);
  'pageSize'?: (number);
  'pageToken'?: (string);
  'fromLoadBound': (boolean);
  '_afterRevision'?: "afterRevision";
  '_pageSize'?: "pageSize";
  '_pageToken'?: "pageToken";
}
