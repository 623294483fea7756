// Original file: agentplane/memory/v1/memory_service.proto

import type { MemoryScope as _agentplane_memory_v1_MemoryScope, MemoryScope__Output as _agentplane_memory_v1_MemoryScope__Output } from '../../../agentplane/memory/v1/MemoryScope.ts';

export interface AddMemoryEntriesRequest {
  'scope'?: (_agentplane_memory_v1_MemoryScope | null);
  'entriesJson'?: (Buffer | Uint8Array | string)[];
  'complete'?: (boolean);
}

export interface AddMemoryEntriesRequest__Output {
  'scope': (_agentplane_memory_v1_MemoryScope__Output | null);
  'entriesJson': (Buffer)[];
  'complete': (boolean);
}
