// Original file: fairlead/artifact/v1/artifact_service.proto

import type { MeteredAmounts as _fairlead_common_v1_MeteredAmounts, MeteredAmounts__Output as _fairlead_common_v1_MeteredAmounts__Output } from '../../../fairlead/common/v1/MeteredAmounts.ts';

export interface ReadStoredResponse {
  'amounts'?: (_fairlead_common_v1_MeteredAmounts)[];
}

export interface ReadStoredResponse__Output {
  'amounts': (_fairlead_common_v1_MeteredAmounts__Output)[];
}
