import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { Event as _agentplane_common_v1_Event, Event__Output as _agentplane_common_v1_Event__Output } from './agentplane/common/v1/Event.ts';
import type { SessionKey as _agentplane_common_v1_SessionKey, SessionKey__Output as _agentplane_common_v1_SessionKey__Output } from './agentplane/common/v1/SessionKey.ts';
import type { AddMemoryEntriesRequest as _agentplane_memory_v1_AddMemoryEntriesRequest, AddMemoryEntriesRequest__Output as _agentplane_memory_v1_AddMemoryEntriesRequest__Output } from './agentplane/memory/v1/AddMemoryEntriesRequest.ts';
import type { AddMemoryEntriesResponse as _agentplane_memory_v1_AddMemoryEntriesResponse, AddMemoryEntriesResponse__Output as _agentplane_memory_v1_AddMemoryEntriesResponse__Output } from './agentplane/memory/v1/AddMemoryEntriesResponse.ts';
import type { AddSessionHeader as _agentplane_memory_v1_AddSessionHeader, AddSessionHeader__Output as _agentplane_memory_v1_AddSessionHeader__Output } from './agentplane/memory/v1/AddSessionHeader.ts';
import type { AddSessionRequest as _agentplane_memory_v1_AddSessionRequest, AddSessionRequest__Output as _agentplane_memory_v1_AddSessionRequest__Output } from './agentplane/memory/v1/AddSessionRequest.ts';
import type { AddSessionResponse as _agentplane_memory_v1_AddSessionResponse, AddSessionResponse__Output as _agentplane_memory_v1_AddSessionResponse__Output } from './agentplane/memory/v1/AddSessionResponse.ts';
import type { DeleteSessionMemoryRequest as _agentplane_memory_v1_DeleteSessionMemoryRequest, DeleteSessionMemoryRequest__Output as _agentplane_memory_v1_DeleteSessionMemoryRequest__Output } from './agentplane/memory/v1/DeleteSessionMemoryRequest.ts';
import type { DeleteSessionMemoryResponse as _agentplane_memory_v1_DeleteSessionMemoryResponse, DeleteSessionMemoryResponse__Output as _agentplane_memory_v1_DeleteSessionMemoryResponse__Output } from './agentplane/memory/v1/DeleteSessionMemoryResponse.ts';
import type { MemoryScope as _agentplane_memory_v1_MemoryScope, MemoryScope__Output as _agentplane_memory_v1_MemoryScope__Output } from './agentplane/memory/v1/MemoryScope.ts';
import type { MemoryServiceClient as _agentplane_memory_v1_MemoryServiceClient, MemoryServiceDefinition as _agentplane_memory_v1_MemoryServiceDefinition } from './agentplane/memory/v1/MemoryService.ts';
import type { SearchMemoryRequest as _agentplane_memory_v1_SearchMemoryRequest, SearchMemoryRequest__Output as _agentplane_memory_v1_SearchMemoryRequest__Output } from './agentplane/memory/v1/SearchMemoryRequest.ts';
import type { SearchMemoryResponse as _agentplane_memory_v1_SearchMemoryResponse, SearchMemoryResponse__Output as _agentplane_memory_v1_SearchMemoryResponse__Output } from './agentplane/memory/v1/SearchMemoryResponse.ts';
import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from './google/protobuf/Timestamp.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  agentplane: {
    common: {
      v1: {
        Event: MessageTypeDefinition<_agentplane_common_v1_Event, _agentplane_common_v1_Event__Output>
        SessionKey: MessageTypeDefinition<_agentplane_common_v1_SessionKey, _agentplane_common_v1_SessionKey__Output>
      }
    }
    memory: {
      v1: {
        AddMemoryEntriesRequest: MessageTypeDefinition<_agentplane_memory_v1_AddMemoryEntriesRequest, _agentplane_memory_v1_AddMemoryEntriesRequest__Output>
        AddMemoryEntriesResponse: MessageTypeDefinition<_agentplane_memory_v1_AddMemoryEntriesResponse, _agentplane_memory_v1_AddMemoryEntriesResponse__Output>
        AddSessionHeader: MessageTypeDefinition<_agentplane_memory_v1_AddSessionHeader, _agentplane_memory_v1_AddSessionHeader__Output>
        AddSessionRequest: MessageTypeDefinition<_agentplane_memory_v1_AddSessionRequest, _agentplane_memory_v1_AddSessionRequest__Output>
        AddSessionResponse: MessageTypeDefinition<_agentplane_memory_v1_AddSessionResponse, _agentplane_memory_v1_AddSessionResponse__Output>
        DeleteSessionMemoryRequest: MessageTypeDefinition<_agentplane_memory_v1_DeleteSessionMemoryRequest, _agentplane_memory_v1_DeleteSessionMemoryRequest__Output>
        DeleteSessionMemoryResponse: MessageTypeDefinition<_agentplane_memory_v1_DeleteSessionMemoryResponse, _agentplane_memory_v1_DeleteSessionMemoryResponse__Output>
        MemoryScope: MessageTypeDefinition<_agentplane_memory_v1_MemoryScope, _agentplane_memory_v1_MemoryScope__Output>
        MemoryService: SubtypeConstructor<typeof grpc.Client, _agentplane_memory_v1_MemoryServiceClient> & { service: _agentplane_memory_v1_MemoryServiceDefinition }
        SearchMemoryRequest: MessageTypeDefinition<_agentplane_memory_v1_SearchMemoryRequest, _agentplane_memory_v1_SearchMemoryRequest__Output>
        SearchMemoryResponse: MessageTypeDefinition<_agentplane_memory_v1_SearchMemoryResponse, _agentplane_memory_v1_SearchMemoryResponse__Output>
      }
    }
  }
  google: {
    protobuf: {
      Timestamp: MessageTypeDefinition<_google_protobuf_Timestamp, _google_protobuf_Timestamp__Output>
    }
  }
}

