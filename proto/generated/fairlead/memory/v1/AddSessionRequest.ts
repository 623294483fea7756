// Original file: fairlead/memory/v1/memory_service.proto

import type { AddSessionHeader as _fairlead_memory_v1_AddSessionHeader, AddSessionHeader__Output as _fairlead_memory_v1_AddSessionHeader__Output } from '../../../fairlead/memory/v1/AddSessionHeader.ts';
import type { Event as _fairlead_common_v1_Event, Event__Output as _fairlead_common_v1_Event__Output } from '../../../fairlead/common/v1/Event.ts';

export interface AddSessionRequest {
  'header'?: (_fairlead_memory_v1_AddSessionHeader | null);
  'events'?: (_fairlead_common_v1_Event)[];
  'complete'?: (boolean);
}

export interface AddSessionRequest__Output {
  'header': (_fairlead_memory_v1_AddSessionHeader__Output | null);
  'events': (_fairlead_common_v1_Event__Output)[];
  'complete': (boolean);
}
