// Original file: fairlead/session/v1/run_journal_service.proto

import type { Lease as _fairlead_session_v1_Lease, Lease__Output as _fairlead_session_v1_Lease__Output } from '../../../fairlead/session/v1/Lease.ts';
import type { Duration as _google_protobuf_Duration, Duration__Output as _google_protobuf_Duration__Output } from '../../../google/protobuf/Duration.ts';

export interface RenewLeaseRequest {
  'lease'?: (_fairlead_session_v1_Lease | null);
  'leaseDuration'?: (_google_protobuf_Duration | null);
}

export interface RenewLeaseRequest__Output {
  'lease': (_fairlead_session_v1_Lease__Output | null);
  'leaseDuration': (_google_protobuf_Duration__Output | null);
}
