// Original file: fairlead/session/v1/run_journal_service.proto

import type { Lease as _fairlead_session_v1_Lease, Lease__Output as _fairlead_session_v1_Lease__Output } from '../../../fairlead/session/v1/Lease.ts';

export interface RenewLeaseResponse {
  'lease'?: (_fairlead_session_v1_Lease | null);
  'cancelRequested'?: (boolean);
  'grant'?: (string);
}

export interface RenewLeaseResponse__Output {
  'lease': (_fairlead_session_v1_Lease__Output | null);
  'cancelRequested': (boolean);
  'grant': (string);
}
