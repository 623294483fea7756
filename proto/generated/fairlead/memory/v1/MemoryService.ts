// Original file: fairlead/memory/v1/memory_service.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { AddMemoryEntriesRequest as _fairlead_memory_v1_AddMemoryEntriesRequest, AddMemoryEntriesRequest__Output as _fairlead_memory_v1_AddMemoryEntriesRequest__Output } from '../../../fairlead/memory/v1/AddMemoryEntriesRequest.ts';
import type { AddMemoryEntriesResponse as _fairlead_memory_v1_AddMemoryEntriesResponse, AddMemoryEntriesResponse__Output as _fairlead_memory_v1_AddMemoryEntriesResponse__Output } from '../../../fairlead/memory/v1/AddMemoryEntriesResponse.ts';
import type { AddSessionRequest as _fairlead_memory_v1_AddSessionRequest, AddSessionRequest__Output as _fairlead_memory_v1_AddSessionRequest__Output } from '../../../fairlead/memory/v1/AddSessionRequest.ts';
import type { AddSessionResponse as _fairlead_memory_v1_AddSessionResponse, AddSessionResponse__Output as _fairlead_memory_v1_AddSessionResponse__Output } from '../../../fairlead/memory/v1/AddSessionResponse.ts';
import type { DeleteDataRequest as _fairlead_memory_v1_DeleteDataRequest, DeleteDataRequest__Output as _fairlead_memory_v1_DeleteDataRequest__Output } from '../../../fairlead/memory/v1/DeleteDataRequest.ts';
import type { DeleteDataResponse as _fairlead_memory_v1_DeleteDataResponse, DeleteDataResponse__Output as _fairlead_memory_v1_DeleteDataResponse__Output } from '../../../fairlead/memory/v1/DeleteDataResponse.ts';
import type { DeleteOldDataRequest as _fairlead_memory_v1_DeleteOldDataRequest, DeleteOldDataRequest__Output as _fairlead_memory_v1_DeleteOldDataRequest__Output } from '../../../fairlead/memory/v1/DeleteOldDataRequest.ts';
import type { DeleteOldDataResponse as _fairlead_memory_v1_DeleteOldDataResponse, DeleteOldDataResponse__Output as _fairlead_memory_v1_DeleteOldDataResponse__Output } from '../../../fairlead/memory/v1/DeleteOldDataResponse.ts';
import type { DeleteSessionMemoryRequest as _fairlead_memory_v1_DeleteSessionMemoryRequest, DeleteSessionMemoryRequest__Output as _fairlead_memory_v1_DeleteSessionMemoryRequest__Output } from '../../../fairlead/memory/v1/DeleteSessionMemoryRequest.ts';
import type { DeleteSessionMemoryResponse as _fairlead_memory_v1_DeleteSessionMemoryResponse, DeleteSessionMemoryResponse__Output as _fairlead_memory_v1_DeleteSessionMemoryResponse__Output } from '../../../fairlead/memory/v1/DeleteSessionMemoryResponse.ts';
import type { ListDataRequest as _fairlead_memory_v1_ListDataRequest, ListDataRequest__Output as _fairlead_memory_v1_ListDataRequest__Output } from '../../../fairlead/memory/v1/ListDataRequest.ts';
import type { ListDataResponse as _fairlead_memory_v1_ListDataResponse, ListDataResponse__Output as _fairlead_memory_v1_ListDataResponse__Output } from '../../../fairlead/memory/v1/ListDataResponse.ts';
import type { ListOldDataRequest as _fairlead_memory_v1_ListOldDataRequest, ListOldDataRequest__Output as _fairlead_memory_v1_ListOldDataRequest__Output } from '../../../fairlead/memory/v1/ListOldDataRequest.ts';
import type { ListOldDataResponse as _fairlead_memory_v1_ListOldDataResponse, ListOldDataResponse__Output as _fairlead_memory_v1_ListOldDataResponse__Output } from '../../../fairlead/memory/v1/ListOldDataResponse.ts';
import type { ReadStoredRequest as _fairlead_memory_v1_ReadStoredRequest, ReadStoredRequest__Output as _fairlead_memory_v1_ReadStoredRequest__Output } from '../../../fairlead/memory/v1/ReadStoredRequest.ts';
import type { ReadStoredResponse as _fairlead_memory_v1_ReadStoredResponse, ReadStoredResponse__Output as _fairlead_memory_v1_ReadStoredResponse__Output } from '../../../fairlead/memory/v1/ReadStoredResponse.ts';
import type { SearchMemoryRequest as _fairlead_memory_v1_SearchMemoryRequest, SearchMemoryRequest__Output as _fairlead_memory_v1_SearchMemoryRequest__Output } from '../../../fairlead/memory/v1/SearchMemoryRequest.ts';
import type { SearchMemoryResponse as _fairlead_memory_v1_SearchMemoryResponse, SearchMemoryResponse__Output as _fairlead_memory_v1_SearchMemoryResponse__Output } from '../../../fairlead/memory/v1/SearchMemoryResponse.ts';

export interface MemoryServiceClient extends grpc.Client {
  AddMemoryEntries(metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_memory_v1_AddMemoryEntriesResponse__Output>): grpc.ClientWritableStream<_fairlead_memory_v1_AddMemoryEntriesRequest>;
  AddMemoryEntries(metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_memory_v1_AddMemoryEntriesResponse__Output>): grpc.ClientWritableStream<_fairlead_memory_v1_AddMemoryEntriesRequest>;
  AddMemoryEntries(options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_memory_v1_AddMemoryEntriesResponse__Output>): grpc.ClientWritableStream<_fairlead_memory_v1_AddMemoryEntriesRequest>;
  AddMemoryEntries(callback: grpc.requestCallback<_fairlead_memory_v1_AddMemoryEntriesResponse__Output>): grpc.ClientWritableStream<_fairlead_memory_v1_AddMemoryEntriesRequest>;
  addMemoryEntries(metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_memory_v1_AddMemoryEntriesResponse__Output>): grpc.ClientWritableStream<_fairlead_memory_v1_AddMemoryEntriesRequest>;
  addMemoryEntries(metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_memory_v1_AddMemoryEntriesResponse__Output>): grpc.ClientWritableStream<_fairlead_memory_v1_AddMemoryEntriesRequest>;
  addMemoryEntries(options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_memory_v1_AddMemoryEntriesResponse__Output>): grpc.ClientWritableStream<_fairlead_memory_v1_AddMemoryEntriesRequest>;
  addMemoryEntries(callback: grpc.requestCallback<_fairlead_memory_v1_AddMemoryEntriesResponse__Output>): grpc.ClientWritableStream<_fairlead_memory_v1_AddMemoryEntriesRequest>;
  
  AddSession(metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_memory_v1_AddSessionResponse__Output>): grpc.ClientWritableStream<_fairlead_memory_v1_AddSessionRequest>;
  AddSession(metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_memory_v1_AddSessionResponse__Output>): grpc.ClientWritableStream<_fairlead_memory_v1_AddSessionRequest>;
  AddSession(options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_memory_v1_AddSessionResponse__Output>): grpc.ClientWritableStream<_fairlead_memory_v1_AddSessionRequest>;
  AddSession(callback: grpc.requestCallback<_fairlead_memory_v1_AddSessionResponse__Output>): grpc.ClientWritableStream<_fairlead_memory_v1_AddSessionRequest>;
  addSession(metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_memory_v1_AddSessionResponse__Output>): grpc.ClientWritableStream<_fairlead_memory_v1_AddSessionRequest>;
  addSession(metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_memory_v1_AddSessionResponse__Output>): grpc.ClientWritableStream<_fairlead_memory_v1_AddSessionRequest>;
  addSession(options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_memory_v1_AddSessionResponse__Output>): grpc.ClientWritableStream<_fairlead_memory_v1_AddSessionRequest>;
  addSession(callback: grpc.requestCallback<_fairlead_memory_v1_AddSessionResponse__Output>): grpc.ClientWritableStream<_fairlead_memory_v1_AddSessionRequest>;
  
  DeleteData(argument: _fairlead_memory_v1_DeleteDataRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_memory_v1_DeleteDataResponse__Output>): grpc.ClientUnaryCall;
  DeleteData(argument: _fairlead_memory_v1_DeleteDataRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_memory_v1_DeleteDataResponse__Output>): grpc.ClientUnaryCall;
  DeleteData(argument: _fairlead_memory_v1_DeleteDataRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_memory_v1_DeleteDataResponse__Output>): grpc.ClientUnaryCall;
  DeleteData(argument: _fairlead_memory_v1_DeleteDataRequest, callback: grpc.requestCallback<_fairlead_memory_v1_DeleteDataResponse__Output>): grpc.ClientUnaryCall;
  deleteData(argument: _fairlead_memory_v1_DeleteDataRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_memory_v1_DeleteDataResponse__Output>): grpc.ClientUnaryCall;
  deleteData(argument: _fairlead_memory_v1_DeleteDataRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_memory_v1_DeleteDataResponse__Output>): grpc.ClientUnaryCall;
  deleteData(argument: _fairlead_memory_v1_DeleteDataRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_memory_v1_DeleteDataResponse__Output>): grpc.ClientUnaryCall;
  deleteData(argument: _fairlead_memory_v1_DeleteDataRequest, callback: grpc.requestCallback<_fairlead_memory_v1_DeleteDataResponse__Output>): grpc.ClientUnaryCall;
  
  DeleteOldData(argument: _fairlead_memory_v1_DeleteOldDataRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_memory_v1_DeleteOldDataResponse__Output>): grpc.ClientUnaryCall;
  DeleteOldData(argument: _fairlead_memory_v1_DeleteOldDataRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_memory_v1_DeleteOldDataResponse__Output>): grpc.ClientUnaryCall;
  DeleteOldData(argument: _fairlead_memory_v1_DeleteOldDataRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_memory_v1_DeleteOldDataResponse__Output>): grpc.ClientUnaryCall;
  DeleteOldData(argument: _fairlead_memory_v1_DeleteOldDataRequest, callback: grpc.requestCallback<_fairlead_memory_v1_DeleteOldDataResponse__Output>): grpc.ClientUnaryCall;
  deleteOldData(argument: _fairlead_memory_v1_DeleteOldDataRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_memory_v1_DeleteOldDataResponse__Output>): grpc.ClientUnaryCall;
  deleteOldData(argument: _fairlead_memory_v1_DeleteOldDataRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_memory_v1_DeleteOldDataResponse__Output>): grpc.ClientUnaryCall;
  deleteOldData(argument: _fairlead_memory_v1_DeleteOldDataRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_memory_v1_DeleteOldDataResponse__Output>): grpc.ClientUnaryCall;
  deleteOldData(argument: _fairlead_memory_v1_DeleteOldDataRequest, callback: grpc.requestCallback<_fairlead_memory_v1_DeleteOldDataResponse__Output>): grpc.ClientUnaryCall;
  
  DeleteSessionMemory(argument: _fairlead_memory_v1_DeleteSessionMemoryRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_memory_v1_DeleteSessionMemoryResponse__Output>): grpc.ClientUnaryCall;
  DeleteSessionMemory(argument: _fairlead_memory_v1_DeleteSessionMemoryRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_memory_v1_DeleteSessionMemoryResponse__Output>): grpc.ClientUnaryCall;
  DeleteSessionMemory(argument: _fairlead_memory_v1_DeleteSessionMemoryRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_memory_v1_DeleteSessionMemoryResponse__Output>): grpc.ClientUnaryCall;
  DeleteSessionMemory(argument: _fairlead_memory_v1_DeleteSessionMemoryRequest, callback: grpc.requestCallback<_fairlead_memory_v1_DeleteSessionMemoryResponse__Output>): grpc.ClientUnaryCall;
  deleteSessionMemory(argument: _fairlead_memory_v1_DeleteSessionMemoryRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_memory_v1_DeleteSessionMemoryResponse__Output>): grpc.ClientUnaryCall;
  deleteSessionMemory(argument: _fairlead_memory_v1_DeleteSessionMemoryRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_memory_v1_DeleteSessionMemoryResponse__Output>): grpc.ClientUnaryCall;
  deleteSessionMemory(argument: _fairlead_memory_v1_DeleteSessionMemoryRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_memory_v1_DeleteSessionMemoryResponse__Output>): grpc.ClientUnaryCall;
  deleteSessionMemory(argument: _fairlead_memory_v1_DeleteSessionMemoryRequest, callback: grpc.requestCallback<_fairlead_memory_v1_DeleteSessionMemoryResponse__Output>): grpc.ClientUnaryCall;
  
  ListData(argument: _fairlead_memory_v1_ListDataRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_memory_v1_ListDataResponse__Output>): grpc.ClientUnaryCall;
  ListData(argument: _fairlead_memory_v1_ListDataRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_memory_v1_ListDataResponse__Output>): grpc.ClientUnaryCall;
  ListData(argument: _fairlead_memory_v1_ListDataRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_memory_v1_ListDataResponse__Output>): grpc.ClientUnaryCall;
  ListData(argument: _fairlead_memory_v1_ListDataRequest, callback: grpc.requestCallback<_fairlead_memory_v1_ListDataResponse__Output>): grpc.ClientUnaryCall;
  listData(argument: _fairlead_memory_v1_ListDataRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_memory_v1_ListDataResponse__Output>): grpc.ClientUnaryCall;
  listData(argument: _fairlead_memory_v1_ListDataRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_memory_v1_ListDataResponse__Output>): grpc.ClientUnaryCall;
  listData(argument: _fairlead_memory_v1_ListDataRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_memory_v1_ListDataResponse__Output>): grpc.ClientUnaryCall;
  listData(argument: _fairlead_memory_v1_ListDataRequest, callback: grpc.requestCallback<_fairlead_memory_v1_ListDataResponse__Output>): grpc.ClientUnaryCall;
  
  ListOldData(argument: _fairlead_memory_v1_ListOldDataRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_memory_v1_ListOldDataResponse__Output>): grpc.ClientUnaryCall;
  ListOldData(argument: _fairlead_memory_v1_ListOldDataRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_memory_v1_ListOldDataResponse__Output>): grpc.ClientUnaryCall;
  ListOldData(argument: _fairlead_memory_v1_ListOldDataRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_memory_v1_ListOldDataResponse__Output>): grpc.ClientUnaryCall;
  ListOldData(argument: _fairlead_memory_v1_ListOldDataRequest, callback: grpc.requestCallback<_fairlead_memory_v1_ListOldDataResponse__Output>): grpc.ClientUnaryCall;
  listOldData(argument: _fairlead_memory_v1_ListOldDataRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_memory_v1_ListOldDataResponse__Output>): grpc.ClientUnaryCall;
  listOldData(argument: _fairlead_memory_v1_ListOldDataRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_memory_v1_ListOldDataResponse__Output>): grpc.ClientUnaryCall;
  listOldData(argument: _fairlead_memory_v1_ListOldDataRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_memory_v1_ListOldDataResponse__Output>): grpc.ClientUnaryCall;
  listOldData(argument: _fairlead_memory_v1_ListOldDataRequest, callback: grpc.requestCallback<_fairlead_memory_v1_ListOldDataResponse__Output>): grpc.ClientUnaryCall;
  
  ReadStored(argument: _fairlead_memory_v1_ReadStoredRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_memory_v1_ReadStoredResponse__Output>): grpc.ClientUnaryCall;
  ReadStored(argument: _fairlead_memory_v1_ReadStoredRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_memory_v1_ReadStoredResponse__Output>): grpc.ClientUnaryCall;
  ReadStored(argument: _fairlead_memory_v1_ReadStoredRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_memory_v1_ReadStoredResponse__Output>): grpc.ClientUnaryCall;
  ReadStored(argument: _fairlead_memory_v1_ReadStoredRequest, callback: grpc.requestCallback<_fairlead_memory_v1_ReadStoredResponse__Output>): grpc.ClientUnaryCall;
  readStored(argument: _fairlead_memory_v1_ReadStoredRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_memory_v1_ReadStoredResponse__Output>): grpc.ClientUnaryCall;
  readStored(argument: _fairlead_memory_v1_ReadStoredRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_memory_v1_ReadStoredResponse__Output>): grpc.ClientUnaryCall;
  readStored(argument: _fairlead_memory_v1_ReadStoredRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_memory_v1_ReadStoredResponse__Output>): grpc.ClientUnaryCall;
  readStored(argument: _fairlead_memory_v1_ReadStoredRequest, callback: grpc.requestCallback<_fairlead_memory_v1_ReadStoredResponse__Output>): grpc.ClientUnaryCall;
  
  SearchMemory(argument: _fairlead_memory_v1_SearchMemoryRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_memory_v1_SearchMemoryResponse__Output>;
  SearchMemory(argument: _fairlead_memory_v1_SearchMemoryRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_memory_v1_SearchMemoryResponse__Output>;
  searchMemory(argument: _fairlead_memory_v1_SearchMemoryRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_memory_v1_SearchMemoryResponse__Output>;
  searchMemory(argument: _fairlead_memory_v1_SearchMemoryRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_memory_v1_SearchMemoryResponse__Output>;
  
}

export interface MemoryServiceHandlers extends grpc.UntypedServiceImplementation {
  AddMemoryEntries: grpc.handleClientStreamingCall<_fairlead_memory_v1_AddMemoryEntriesRequest__Output, _fairlead_memory_v1_AddMemoryEntriesResponse>;
  
  AddSession: grpc.handleClientStreamingCall<_fairlead_memory_v1_AddSessionRequest__Output, _fairlead_memory_v1_AddSessionResponse>;
  
  DeleteData: grpc.handleUnaryCall<_fairlead_memory_v1_DeleteDataRequest__Output, _fairlead_memory_v1_DeleteDataResponse>;
  
  DeleteOldData: grpc.handleUnaryCall<_fairlead_memory_v1_DeleteOldDataRequest__Output, _fairlead_memory_v1_DeleteOldDataResponse>;
  
  DeleteSessionMemory: grpc.handleUnaryCall<_fairlead_memory_v1_DeleteSessionMemoryRequest__Output, _fairlead_memory_v1_DeleteSessionMemoryResponse>;
  
  ListData: grpc.handleUnaryCall<_fairlead_memory_v1_ListDataRequest__Output, _fairlead_memory_v1_ListDataResponse>;
  
  ListOldData: grpc.handleUnaryCall<_fairlead_memory_v1_ListOldDataRequest__Output, _fairlead_memory_v1_ListOldDataResponse>;
  
  ReadStored: grpc.handleUnaryCall<_fairlead_memory_v1_ReadStoredRequest__Output, _fairlead_memory_v1_ReadStoredResponse>;
  
  SearchMemory: grpc.handleServerStreamingCall<_fairlead_memory_v1_SearchMemoryRequest__Output, _fairlead_memory_v1_SearchMemoryResponse>;
  
}

export interface MemoryServiceDefinition extends grpc.ServiceDefinition {
  AddMemoryEntries: MethodDefinition<_fairlead_memory_v1_AddMemoryEntriesRequest, _fairlead_memory_v1_AddMemoryEntriesResponse, _fairlead_memory_v1_AddMemoryEntriesRequest__Output, _fairlead_memory_v1_AddMemoryEntriesResponse__Output>
  AddSession: MethodDefinition<_fairlead_memory_v1_AddSessionRequest, _fairlead_memory_v1_AddSessionResponse, _fairlead_memory_v1_AddSessionRequest__Output, _fairlead_memory_v1_AddSessionResponse__Output>
  DeleteData: MethodDefinition<_fairlead_memory_v1_DeleteDataRequest, _fairlead_memory_v1_DeleteDataResponse, _fairlead_memory_v1_DeleteDataRequest__Output, _fairlead_memory_v1_DeleteDataResponse__Output>
  DeleteOldData: MethodDefinition<_fairlead_memory_v1_DeleteOldDataRequest, _fairlead_memory_v1_DeleteOldDataResponse, _fairlead_memory_v1_DeleteOldDataRequest__Output, _fairlead_memory_v1_DeleteOldDataResponse__Output>
  DeleteSessionMemory: MethodDefinition<_fairlead_memory_v1_DeleteSessionMemoryRequest, _fairlead_memory_v1_DeleteSessionMemoryResponse, _fairlead_memory_v1_DeleteSessionMemoryRequest__Output, _fairlead_memory_v1_DeleteSessionMemoryResponse__Output>
  ListData: MethodDefinition<_fairlead_memory_v1_ListDataRequest, _fairlead_memory_v1_ListDataResponse, _fairlead_memory_v1_ListDataRequest__Output, _fairlead_memory_v1_ListDataResponse__Output>
  ListOldData: MethodDefinition<_fairlead_memory_v1_ListOldDataRequest, _fairlead_memory_v1_ListOldDataResponse, _fairlead_memory_v1_ListOldDataRequest__Output, _fairlead_memory_v1_ListOldDataResponse__Output>
  ReadStored: MethodDefinition<_fairlead_memory_v1_ReadStoredRequest, _fairlead_memory_v1_ReadStoredResponse, _fairlead_memory_v1_ReadStoredRequest__Output, _fairlead_memory_v1_ReadStoredResponse__Output>
  SearchMemory: MethodDefinition<_fairlead_memory_v1_SearchMemoryRequest, _fairlead_memory_v1_SearchMemoryResponse, _fairlead_memory_v1_SearchMemoryRequest__Output, _fairlead_memory_v1_SearchMemoryResponse__Output>
}
