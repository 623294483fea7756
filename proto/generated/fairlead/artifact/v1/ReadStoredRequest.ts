// Original file: fairlead/artifact/v1/artifact_service.proto

import type { StoredName as _fairlead_common_v1_StoredName, StoredName__Output as _fairlead_common_v1_StoredName__Output } from '../../../fairlead/common/v1/StoredName.ts';

export interface ReadStoredRequest {
  'names'?: (_fairlead_common_v1_StoredName)[];
}

export interface ReadStoredRequest__Output {
  'names': (_fairlead_common_v1_StoredName__Output)[];
}
