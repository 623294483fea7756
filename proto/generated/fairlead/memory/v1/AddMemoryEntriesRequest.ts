// Original file: fairlead/memory/v1/memory_service.proto

import type { MemoryScope as _fairlead_memory_v1_MemoryScope, MemoryScope__Output as _fairlead_memory_v1_MemoryScope__Output } from '../../../fairlead/memory/v1/MemoryScope.ts';

export interface AddMemoryEntriesRequest {
  'scope'?: (_fairlead_memory_v1_MemoryScope | null);
  'entriesJson'?: (Buffer | Uint8Array | string)[];
  'complete'?: (boolean);
}

export interface AddMemoryEntriesRequest__Output {
  'scope': (_fairlead_memory_v1_MemoryScope__Output | null);
  'entriesJson': (Buffer)[];
  'complete': (boolean);
}
