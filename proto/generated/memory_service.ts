import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { Event as _fairlead_common_v1_Event, Event__Output as _fairlead_common_v1_Event__Output } from './fairlead/common/v1/Event.ts';
import type { MeteredAmounts as _fairlead_common_v1_MeteredAmounts, MeteredAmounts__Output as _fairlead_common_v1_MeteredAmounts__Output } from './fairlead/common/v1/MeteredAmounts.ts';
import type { SessionKey as _fairlead_common_v1_SessionKey, SessionKey__Output as _fairlead_common_v1_SessionKey__Output } from './fairlead/common/v1/SessionKey.ts';
import type { StoredName as _fairlead_common_v1_StoredName, StoredName__Output as _fairlead_common_v1_StoredName__Output } from './fairlead/common/v1/StoredName.ts';
import type { AddMemoryEntriesRequest as _fairlead_memory_v1_AddMemoryEntriesRequest, AddMemoryEntriesRequest__Output as _fairlead_memory_v1_AddMemoryEntriesRequest__Output } from './fairlead/memory/v1/AddMemoryEntriesRequest.ts';
import type { AddMemoryEntriesResponse as _fairlead_memory_v1_AddMemoryEntriesResponse, AddMemoryEntriesResponse__Output as _fairlead_memory_v1_AddMemoryEntriesResponse__Output } from './fairlead/memory/v1/AddMemoryEntriesResponse.ts';
import type { AddSessionHeader as _fairlead_memory_v1_AddSessionHeader, AddSessionHeader__Output as _fairlead_memory_v1_AddSessionHeader__Output } from './fairlead/memory/v1/AddSessionHeader.ts';
import type { AddSessionRequest as _fairlead_memory_v1_AddSessionRequest, AddSessionRequest__Output as _fairlead_memory_v1_AddSessionRequest__Output } from './fairlead/memory/v1/AddSessionRequest.ts';
import type { AddSessionResponse as _fairlead_memory_v1_AddSessionResponse, AddSessionResponse__Output as _fairlead_memory_v1_AddSessionResponse__Output } from './fairlead/memory/v1/AddSessionResponse.ts';
import type { DeleteDataRequest as _fairlead_memory_v1_DeleteDataRequest, DeleteDataRequest__Output as _fairlead_memory_v1_DeleteDataRequest__Output } from './fairlead/memory/v1/DeleteDataRequest.ts';
import type { DeleteDataResponse as _fairlead_memory_v1_DeleteDataResponse, DeleteDataResponse__Output as _fairlead_memory_v1_DeleteDataResponse__Output } from './fairlead/memory/v1/DeleteDataResponse.ts';
import type { DeleteOldDataRequest as _fairlead_memory_v1_DeleteOldDataRequest, DeleteOldDataRequest__Output as _fairlead_memory_v1_DeleteOldDataRequest__Output } from './fairlead/memory/v1/DeleteOldDataRequest.ts';
import type { DeleteOldDataResponse as _fairlead_memory_v1_DeleteOldDataResponse, DeleteOldDataResponse__Output as _fairlead_memory_v1_DeleteOldDataResponse__Output } from './fairlead/memory/v1/DeleteOldDataResponse.ts';
import type { DeleteSessionMemoryRequest as _fairlead_memory_v1_DeleteSessionMemoryRequest, DeleteSessionMemoryRequest__Output as _fairlead_memory_v1_DeleteSessionMemoryRequest__Output } from './fairlead/memory/v1/DeleteSessionMemoryRequest.ts';
import type { DeleteSessionMemoryResponse as _fairlead_memory_v1_DeleteSessionMemoryResponse, DeleteSessionMemoryResponse__Output as _fairlead_memory_v1_DeleteSessionMemoryResponse__Output } from './fairlead/memory/v1/DeleteSessionMemoryResponse.ts';
import type { ListDataRequest as _fairlead_memory_v1_ListDataRequest, ListDataRequest__Output as _fairlead_memory_v1_ListDataRequest__Output } from './fairlead/memory/v1/ListDataRequest.ts';
import type { ListDataResponse as _fairlead_memory_v1_ListDataResponse, ListDataResponse__Output as _fairlead_memory_v1_ListDataResponse__Output } from './fairlead/memory/v1/ListDataResponse.ts';
import type { ListOldDataRequest as _fairlead_memory_v1_ListOldDataRequest, ListOldDataRequest__Output as _fairlead_memory_v1_ListOldDataRequest__Output } from './fairlead/memory/v1/ListOldDataRequest.ts';
import type { ListOldDataResponse as _fairlead_memory_v1_ListOldDataResponse, ListOldDataResponse__Output as _fairlead_memory_v1_ListOldDataResponse__Output } from './fairlead/memory/v1/ListOldDataResponse.ts';
import type { MemoryScope as _fairlead_memory_v1_MemoryScope, MemoryScope__Output as _fairlead_memory_v1_MemoryScope__Output } from './fairlead/memory/v1/MemoryScope.ts';
import type { MemoryServiceClient as _fairlead_memory_v1_MemoryServiceClient, MemoryServiceDefinition as _fairlead_memory_v1_MemoryServiceDefinition } from './fairlead/memory/v1/MemoryService.ts';
import type { OldEntry as _fairlead_memory_v1_OldEntry, OldEntry__Output as _fairlead_memory_v1_OldEntry__Output } from './fairlead/memory/v1/OldEntry.ts';
import type { OldItem as _fairlead_memory_v1_OldItem, OldItem__Output as _fairlead_memory_v1_OldItem__Output } from './fairlead/memory/v1/OldItem.ts';
import type { ReadStoredRequest as _fairlead_memory_v1_ReadStoredRequest, ReadStoredRequest__Output as _fairlead_memory_v1_ReadStoredRequest__Output } from './fairlead/memory/v1/ReadStoredRequest.ts';
import type { ReadStoredResponse as _fairlead_memory_v1_ReadStoredResponse, ReadStoredResponse__Output as _fairlead_memory_v1_ReadStoredResponse__Output } from './fairlead/memory/v1/ReadStoredResponse.ts';
import type { SearchMemoryRequest as _fairlead_memory_v1_SearchMemoryRequest, SearchMemoryRequest__Output as _fairlead_memory_v1_SearchMemoryRequest__Output } from './fairlead/memory/v1/SearchMemoryRequest.ts';
import type { SearchMemoryResponse as _fairlead_memory_v1_SearchMemoryResponse, SearchMemoryResponse__Output as _fairlead_memory_v1_SearchMemoryResponse__Output } from './fairlead/memory/v1/SearchMemoryResponse.ts';
import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from './google/protobuf/Timestamp.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  fairlead: {
    common: {
      v1: {
        Event: MessageTypeDefinition<_fairlead_common_v1_Event, _fairlead_common_v1_Event__Output>
        MeteredAmounts: MessageTypeDefinition<_fairlead_common_v1_MeteredAmounts, _fairlead_common_v1_MeteredAmounts__Output>
        SessionKey: MessageTypeDefinition<_fairlead_common_v1_SessionKey, _fairlead_common_v1_SessionKey__Output>
        StoredName: MessageTypeDefinition<_fairlead_common_v1_StoredName, _fairlead_common_v1_StoredName__Output>
      }
    }
    memory: {
      v1: {
        AddMemoryEntriesRequest: MessageTypeDefinition<_fairlead_memory_v1_AddMemoryEntriesRequest, _fairlead_memory_v1_AddMemoryEntriesRequest__Output>
        AddMemoryEntriesResponse: MessageTypeDefinition<_fairlead_memory_v1_AddMemoryEntriesResponse, _fairlead_memory_v1_AddMemoryEntriesResponse__Output>
        AddSessionHeader: MessageTypeDefinition<_fairlead_memory_v1_AddSessionHeader, _fairlead_memory_v1_AddSessionHeader__Output>
        AddSessionRequest: MessageTypeDefinition<_fairlead_memory_v1_AddSessionRequest, _fairlead_memory_v1_AddSessionRequest__Output>
        AddSessionResponse: MessageTypeDefinition<_fairlead_memory_v1_AddSessionResponse, _fairlead_memory_v1_AddSessionResponse__Output>
        DeleteDataRequest: MessageTypeDefinition<_fairlead_memory_v1_DeleteDataRequest, _fairlead_memory_v1_DeleteDataRequest__Output>
        DeleteDataResponse: MessageTypeDefinition<_fairlead_memory_v1_DeleteDataResponse, _fairlead_memory_v1_DeleteDataResponse__Output>
        DeleteOldDataRequest: MessageTypeDefinition<_fairlead_memory_v1_DeleteOldDataRequest, _fairlead_memory_v1_DeleteOldDataRequest__Output>
        DeleteOldDataResponse: MessageTypeDefinition<_fairlead_memory_v1_DeleteOldDataResponse, _fairlead_memory_v1_DeleteOldDataResponse__Output>
        DeleteSessionMemoryRequest: MessageTypeDefinition<_fairlead_memory_v1_DeleteSessionMemoryRequest, _fairlead_memory_v1_DeleteSessionMemoryRequest__Output>
        DeleteSessionMemoryResponse: MessageTypeDefinition<_fairlead_memory_v1_DeleteSessionMemoryResponse, _fairlead_memory_v1_DeleteSessionMemoryResponse__Output>
        ListDataRequest: MessageTypeDefinition<_fairlead_memory_v1_ListDataRequest, _fairlead_memory_v1_ListDataRequest__Output>
        ListDataResponse: MessageTypeDefinition<_fairlead_memory_v1_ListDataResponse, _fairlead_memory_v1_ListDataResponse__Output>
        ListOldDataRequest: MessageTypeDefinition<_fairlead_memory_v1_ListOldDataRequest, _fairlead_memory_v1_ListOldDataRequest__Output>
        ListOldDataResponse: MessageTypeDefinition<_fairlead_memory_v1_ListOldDataResponse, _fairlead_memory_v1_ListOldDataResponse__Output>
        MemoryScope: MessageTypeDefinition<_fairlead_memory_v1_MemoryScope, _fairlead_memory_v1_MemoryScope__Output>
        MemoryService: SubtypeConstructor<typeof grpc.Client, _fairlead_memory_v1_MemoryServiceClient> & { service: _fairlead_memory_v1_MemoryServiceDefinition }
        OldEntry: MessageTypeDefinition<_fairlead_memory_v1_OldEntry, _fairlead_memory_v1_OldEntry__Output>
        OldItem: MessageTypeDefinition<_fairlead_memory_v1_OldItem, _fairlead_memory_v1_OldItem__Output>
        ReadStoredRequest: MessageTypeDefinition<_fairlead_memory_v1_ReadStoredRequest, _fairlead_memory_v1_ReadStoredRequest__Output>
        ReadStoredResponse: MessageTypeDefinition<_fairlead_memory_v1_ReadStoredResponse, _fairlead_memory_v1_ReadStoredResponse__Output>
        SearchMemoryRequest: MessageTypeDefinition<_fairlead_memory_v1_SearchMemoryRequest, _fairlead_memory_v1_SearchMemoryRequest__Output>
        SearchMemoryResponse: MessageTypeDefinition<_fairlead_memory_v1_SearchMemoryResponse, _fairlead_memory_v1_SearchMemoryResponse__Output>
      }
    }
  }
  google: {
    protobuf: {
      Timestamp: MessageTypeDefinition<_google_protobuf_Timestamp, _google_protobuf_Timestamp__Output>
    }
  }
}

