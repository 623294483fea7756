// Original file: fairlead/session/v1/run_journal_service.proto

import type { Duration as _google_protobuf_Duration, Duration__Output as _google_protobuf_Duration__Output } from '../../../google/protobuf/Duration.ts';

export interface ListAbandonedRunsRequest {
  'minAge'?: (_google_protobuf_Duration | null);
  'limit'?: (number);
  'holder'?: (string);
  '_holder'?: "holder";
}

export interface ListAbandonedRunsRequest__Output {
  'minAge': (_google_protobuf_Duration__Output | null);
  'limit': (number);
  'holder'?: (string);
  '_holder'?: "holder";
}
