// Original file: agentplane/memory/v1/memory_service.proto

import type { AddSessionHeader as _agentplane_memory_v1_AddSessionHeader, AddSessionHeader__Output as _agentplane_memory_v1_AddSessionHeader__Output } from '../../../agentplane/memory/v1/AddSessionHeader.ts';
import type { Event as _agentplane_common_v1_Event, Event__Output as _agentplane_common_v1_Event__Output } from '../../../agentplane/common/v1/Event.ts';

export interface AddSessionRequest {
  'header'?: (_agentplane_memory_v1_AddSessionHeader | null);
  'events'?: (_agentplane_common_v1_Event)[];
  'complete'?: (boolean);
}

export interface AddSessionRequest__Output {
  'header': (_agentplane_memory_v1_AddSessionHeader__Output | null);
  'events': (_agentplane_common_v1_Event__Output)[];
  'complete': (boolean);
}
