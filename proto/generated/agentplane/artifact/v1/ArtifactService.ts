// Original file: agentplane/artifact/v1/artifact_service.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { DeleteArtifactRequest as _agentplane_artifact_v1_DeleteArtifactRequest, DeleteArtifactRequest__Output as _agentplane_artifact_v1_DeleteArtifactRequest__Output } from '../../../agentplane/artifact/v1/DeleteArtifactRequest.ts';
import type { DeleteArtifactResponse as _agentplane_artifact_v1_DeleteArtifactResponse, DeleteArtifactResponse__Output as _agentplane_artifact_v1_DeleteArtifactResponse__Output } from '../../../agentplane/artifact/v1/DeleteArtifactResponse.ts';
import type { DeleteSessionArtifactsRequest as _agentplane_artifact_v1_DeleteSessionArtifactsRequest, DeleteSessionArtifactsRequest__Output as _agentplane_artifact_v1_DeleteSessionArtifactsRequest__Output } from '../../../agentplane/artifact/v1/DeleteSessionArtifactsRequest.ts';
import type { DeleteSessionArtifactsResponse as _agentplane_artifact_v1_DeleteSessionArtifactsResponse, DeleteSessionArtifactsResponse__Output as _agentplane_artifact_v1_DeleteSessionArtifactsResponse__Output } from '../../../agentplane/artifact/v1/DeleteSessionArtifactsResponse.ts';
import type { GetArtifactVersionRequest as _agentplane_artifact_v1_GetArtifactVersionRequest, GetArtifactVersionRequest__Output as _agentplane_artifact_v1_GetArtifactVersionRequest__Output } from '../../../agentplane/artifact/v1/GetArtifactVersionRequest.ts';
import type { GetArtifactVersionResponse as _agentplane_artifact_v1_GetArtifactVersionResponse, GetArtifactVersionResponse__Output as _agentplane_artifact_v1_GetArtifactVersionResponse__Output } from '../../../agentplane/artifact/v1/GetArtifactVersionResponse.ts';
import type { ListArtifactKeysRequest as _agentplane_artifact_v1_ListArtifactKeysRequest, ListArtifactKeysRequest__Output as _agentplane_artifact_v1_ListArtifactKeysRequest__Output } from '../../../agentplane/artifact/v1/ListArtifactKeysRequest.ts';
import type { ListArtifactKeysResponse as _agentplane_artifact_v1_ListArtifactKeysResponse, ListArtifactKeysResponse__Output as _agentplane_artifact_v1_ListArtifactKeysResponse__Output } from '../../../agentplane/artifact/v1/ListArtifactKeysResponse.ts';
import type { ListArtifactVersionsRequest as _agentplane_artifact_v1_ListArtifactVersionsRequest, ListArtifactVersionsRequest__Output as _agentplane_artifact_v1_ListArtifactVersionsRequest__Output } from '../../../agentplane/artifact/v1/ListArtifactVersionsRequest.ts';
import type { ListArtifactVersionsResponse as _agentplane_artifact_v1_ListArtifactVersionsResponse, ListArtifactVersionsResponse__Output as _agentplane_artifact_v1_ListArtifactVersionsResponse__Output } from '../../../agentplane/artifact/v1/ListArtifactVersionsResponse.ts';
import type { ListVersionsRequest as _agentplane_artifact_v1_ListVersionsRequest, ListVersionsRequest__Output as _agentplane_artifact_v1_ListVersionsRequest__Output } from '../../../agentplane/artifact/v1/ListVersionsRequest.ts';
import type { ListVersionsResponse as _agentplane_artifact_v1_ListVersionsResponse, ListVersionsResponse__Output as _agentplane_artifact_v1_ListVersionsResponse__Output } from '../../../agentplane/artifact/v1/ListVersionsResponse.ts';
import type { LoadArtifactRequest as _agentplane_artifact_v1_LoadArtifactRequest, LoadArtifactRequest__Output as _agentplane_artifact_v1_LoadArtifactRequest__Output } from '../../../agentplane/artifact/v1/LoadArtifactRequest.ts';
import type { LoadArtifactResponse as _agentplane_artifact_v1_LoadArtifactResponse, LoadArtifactResponse__Output as _agentplane_artifact_v1_LoadArtifactResponse__Output } from '../../../agentplane/artifact/v1/LoadArtifactResponse.ts';
import type { SaveArtifactRequest as _agentplane_artifact_v1_SaveArtifactRequest, SaveArtifactRequest__Output as _agentplane_artifact_v1_SaveArtifactRequest__Output } from '../../../agentplane/artifact/v1/SaveArtifactRequest.ts';
import type { SaveArtifactResponse as _agentplane_artifact_v1_SaveArtifactResponse, SaveArtifactResponse__Output as _agentplane_artifact_v1_SaveArtifactResponse__Output } from '../../../agentplane/artifact/v1/SaveArtifactResponse.ts';

export interface ArtifactServiceClient extends grpc.Client {
  DeleteArtifact(argument: _agentplane_artifact_v1_DeleteArtifactRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_artifact_v1_DeleteArtifactResponse__Output>): grpc.ClientUnaryCall;
  DeleteArtifact(argument: _agentplane_artifact_v1_DeleteArtifactRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_agentplane_artifact_v1_DeleteArtifactResponse__Output>): grpc.ClientUnaryCall;
  DeleteArtifact(argument: _agentplane_artifact_v1_DeleteArtifactRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_artifact_v1_DeleteArtifactResponse__Output>): grpc.ClientUnaryCall;
  DeleteArtifact(argument: _agentplane_artifact_v1_DeleteArtifactRequest, callback: grpc.requestCallback<_agentplane_artifact_v1_DeleteArtifactResponse__Output>): grpc.ClientUnaryCall;
  deleteArtifact(argument: _agentplane_artifact_v1_DeleteArtifactRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_artifact_v1_DeleteArtifactResponse__Output>): grpc.ClientUnaryCall;
  deleteArtifact(argument: _agentplane_artifact_v1_DeleteArtifactRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_agentplane_artifact_v1_DeleteArtifactResponse__Output>): grpc.ClientUnaryCall;
  deleteArtifact(argument: _agentplane_artifact_v1_DeleteArtifactRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_artifact_v1_DeleteArtifactResponse__Output>): grpc.ClientUnaryCall;
  deleteArtifact(argument: _agentplane_artifact_v1_DeleteArtifactRequest, callback: grpc.requestCallback<_agentplane_artifact_v1_DeleteArtifactResponse__Output>): grpc.ClientUnaryCall;
  
  DeleteSessionArtifacts(argument: _agentplane_artifact_v1_DeleteSessionArtifactsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_artifact_v1_DeleteSessionArtifactsResponse__Output>): grpc.ClientUnaryCall;
  DeleteSessionArtifacts(argument: _agentplane_artifact_v1_DeleteSessionArtifactsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_agentplane_artifact_v1_DeleteSessionArtifactsResponse__Output>): grpc.ClientUnaryCall;
  DeleteSessionArtifacts(argument: _agentplane_artifact_v1_DeleteSessionArtifactsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_artifact_v1_DeleteSessionArtifactsResponse__Output>): grpc.ClientUnaryCall;
  DeleteSessionArtifacts(argument: _agentplane_artifact_v1_DeleteSessionArtifactsRequest, callback: grpc.requestCallback<_agentplane_artifact_v1_DeleteSessionArtifactsResponse__Output>): grpc.ClientUnaryCall;
  deleteSessionArtifacts(argument: _agentplane_artifact_v1_DeleteSessionArtifactsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_artifact_v1_DeleteSessionArtifactsResponse__Output>): grpc.ClientUnaryCall;
  deleteSessionArtifacts(argument: _agentplane_artifact_v1_DeleteSessionArtifactsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_agentplane_artifact_v1_DeleteSessionArtifactsResponse__Output>): grpc.ClientUnaryCall;
  deleteSessionArtifacts(argument: _agentplane_artifact_v1_DeleteSessionArtifactsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_artifact_v1_DeleteSessionArtifactsResponse__Output>): grpc.ClientUnaryCall;
  deleteSessionArtifacts(argument: _agentplane_artifact_v1_DeleteSessionArtifactsRequest, callback: grpc.requestCallback<_agentplane_artifact_v1_DeleteSessionArtifactsResponse__Output>): grpc.ClientUnaryCall;
  
  GetArtifactVersion(argument: _agentplane_artifact_v1_GetArtifactVersionRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_artifact_v1_GetArtifactVersionResponse__Output>): grpc.ClientUnaryCall;
  GetArtifactVersion(argument: _agentplane_artifact_v1_GetArtifactVersionRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_agentplane_artifact_v1_GetArtifactVersionResponse__Output>): grpc.ClientUnaryCall;
  GetArtifactVersion(argument: _agentplane_artifact_v1_GetArtifactVersionRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_artifact_v1_GetArtifactVersionResponse__Output>): grpc.ClientUnaryCall;
  GetArtifactVersion(argument: _agentplane_artifact_v1_GetArtifactVersionRequest, callback: grpc.requestCallback<_agentplane_artifact_v1_GetArtifactVersionResponse__Output>): grpc.ClientUnaryCall;
  getArtifactVersion(argument: _agentplane_artifact_v1_GetArtifactVersionRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_artifact_v1_GetArtifactVersionResponse__Output>): grpc.ClientUnaryCall;
  getArtifactVersion(argument: _agentplane_artifact_v1_GetArtifactVersionRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_agentplane_artifact_v1_GetArtifactVersionResponse__Output>): grpc.ClientUnaryCall;
  getArtifactVersion(argument: _agentplane_artifact_v1_GetArtifactVersionRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_artifact_v1_GetArtifactVersionResponse__Output>): grpc.ClientUnaryCall;
  getArtifactVersion(argument: _agentplane_artifact_v1_GetArtifactVersionRequest, callback: grpc.requestCallback<_agentplane_artifact_v1_GetArtifactVersionResponse__Output>): grpc.ClientUnaryCall;
  
  ListArtifactKeys(argument: _agentplane_artifact_v1_ListArtifactKeysRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_artifact_v1_ListArtifactKeysResponse__Output>): grpc.ClientUnaryCall;
  ListArtifactKeys(argument: _agentplane_artifact_v1_ListArtifactKeysRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_agentplane_artifact_v1_ListArtifactKeysResponse__Output>): grpc.ClientUnaryCall;
  ListArtifactKeys(argument: _agentplane_artifact_v1_ListArtifactKeysRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_artifact_v1_ListArtifactKeysResponse__Output>): grpc.ClientUnaryCall;
  ListArtifactKeys(argument: _agentplane_artifact_v1_ListArtifactKeysRequest, callback: grpc.requestCallback<_agentplane_artifact_v1_ListArtifactKeysResponse__Output>): grpc.ClientUnaryCall;
  listArtifactKeys(argument: _agentplane_artifact_v1_ListArtifactKeysRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_artifact_v1_ListArtifactKeysResponse__Output>): grpc.ClientUnaryCall;
  listArtifactKeys(argument: _agentplane_artifact_v1_ListArtifactKeysRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_agentplane_artifact_v1_ListArtifactKeysResponse__Output>): grpc.ClientUnaryCall;
  listArtifactKeys(argument: _agentplane_artifact_v1_ListArtifactKeysRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_artifact_v1_ListArtifactKeysResponse__Output>): grpc.ClientUnaryCall;
  listArtifactKeys(argument: _agentplane_artifact_v1_ListArtifactKeysRequest, callback: grpc.requestCallback<_agentplane_artifact_v1_ListArtifactKeysResponse__Output>): grpc.ClientUnaryCall;
  
  ListArtifactVersions(argument: _agentplane_artifact_v1_ListArtifactVersionsRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_agentplane_artifact_v1_ListArtifactVersionsResponse__Output>;
  ListArtifactVersions(argument: _agentplane_artifact_v1_ListArtifactVersionsRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_agentplane_artifact_v1_ListArtifactVersionsResponse__Output>;
  listArtifactVersions(argument: _agentplane_artifact_v1_ListArtifactVersionsRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_agentplane_artifact_v1_ListArtifactVersionsResponse__Output>;
  listArtifactVersions(argument: _agentplane_artifact_v1_ListArtifactVersionsRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_agentplane_artifact_v1_ListArtifactVersionsResponse__Output>;
  
  ListVersions(argument: _agentplane_artifact_v1_ListVersionsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_artifact_v1_ListVersionsResponse__Output>): grpc.ClientUnaryCall;
  ListVersions(argument: _agentplane_artifact_v1_ListVersionsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_agentplane_artifact_v1_ListVersionsResponse__Output>): grpc.ClientUnaryCall;
  ListVersions(argument: _agentplane_artifact_v1_ListVersionsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_artifact_v1_ListVersionsResponse__Output>): grpc.ClientUnaryCall;
  ListVersions(argument: _agentplane_artifact_v1_ListVersionsRequest, callback: grpc.requestCallback<_agentplane_artifact_v1_ListVersionsResponse__Output>): grpc.ClientUnaryCall;
  listVersions(argument: _agentplane_artifact_v1_ListVersionsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_artifact_v1_ListVersionsResponse__Output>): grpc.ClientUnaryCall;
  listVersions(argument: _agentplane_artifact_v1_ListVersionsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_agentplane_artifact_v1_ListVersionsResponse__Output>): grpc.ClientUnaryCall;
  listVersions(argument: _agentplane_artifact_v1_ListVersionsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_artifact_v1_ListVersionsResponse__Output>): grpc.ClientUnaryCall;
  listVersions(argument: _agentplane_artifact_v1_ListVersionsRequest, callback: grpc.requestCallback<_agentplane_artifact_v1_ListVersionsResponse__Output>): grpc.ClientUnaryCall;
  
  LoadArtifact(argument: _agentplane_artifact_v1_LoadArtifactRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_agentplane_artifact_v1_LoadArtifactResponse__Output>;
  LoadArtifact(argument: _agentplane_artifact_v1_LoadArtifactRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_agentplane_artifact_v1_LoadArtifactResponse__Output>;
  loadArtifact(argument: _agentplane_artifact_v1_LoadArtifactRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_agentplane_artifact_v1_LoadArtifactResponse__Output>;
  loadArtifact(argument: _agentplane_artifact_v1_LoadArtifactRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_agentplane_artifact_v1_LoadArtifactResponse__Output>;
  
  SaveArtifact(metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_artifact_v1_SaveArtifactResponse__Output>): grpc.ClientWritableStream<_agentplane_artifact_v1_SaveArtifactRequest>;
  SaveArtifact(metadata: grpc.Metadata, callback: grpc.requestCallback<_agentplane_artifact_v1_SaveArtifactResponse__Output>): grpc.ClientWritableStream<_agentplane_artifact_v1_SaveArtifactRequest>;
  SaveArtifact(options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_artifact_v1_SaveArtifactResponse__Output>): grpc.ClientWritableStream<_agentplane_artifact_v1_SaveArtifactRequest>;
  SaveArtifact(callback: grpc.requestCallback<_agentplane_artifact_v1_SaveArtifactResponse__Output>): grpc.ClientWritableStream<_agentplane_artifact_v1_SaveArtifactRequest>;
  saveArtifact(metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_artifact_v1_SaveArtifactResponse__Output>): grpc.ClientWritableStream<_agentplane_artifact_v1_SaveArtifactRequest>;
  saveArtifact(metadata: grpc.Metadata, callback: grpc.requestCallback<_agentplane_artifact_v1_SaveArtifactResponse__Output>): grpc.ClientWritableStream<_agentplane_artifact_v1_SaveArtifactRequest>;
  saveArtifact(options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_artifact_v1_SaveArtifactResponse__Output>): grpc.ClientWritableStream<_agentplane_artifact_v1_SaveArtifactRequest>;
  saveArtifact(callback: grpc.requestCallback<_agentplane_artifact_v1_SaveArtifactResponse__Output>): grpc.ClientWritableStream<_agentplane_artifact_v1_SaveArtifactRequest>;
  
}

export interface ArtifactServiceHandlers extends grpc.UntypedServiceImplementation {
  DeleteArtifact: grpc.handleUnaryCall<_agentplane_artifact_v1_DeleteArtifactRequest__Output, _agentplane_artifact_v1_DeleteArtifactResponse>;
  
  DeleteSessionArtifacts: grpc.handleUnaryCall<_agentplane_artifact_v1_DeleteSessionArtifactsRequest__Output, _agentplane_artifact_v1_DeleteSessionArtifactsResponse>;
  
  GetArtifactVersion: grpc.handleUnaryCall<_agentplane_artifact_v1_GetArtifactVersionRequest__Output, _agentplane_artifact_v1_GetArtifactVersionResponse>;
  
  ListArtifactKeys: grpc.handleUnaryCall<_agentplane_artifact_v1_ListArtifactKeysRequest__Output, _agentplane_artifact_v1_ListArtifactKeysResponse>;
  
  ListArtifactVersions: grpc.handleServerStreamingCall<_agentplane_artifact_v1_ListArtifactVersionsRequest__Output, _agentplane_artifact_v1_ListArtifactVersionsResponse>;
  
  ListVersions: grpc.handleUnaryCall<_agentplane_artifact_v1_ListVersionsRequest__Output, _agentplane_artifact_v1_ListVersionsResponse>;
  
  LoadArtifact: grpc.handleServerStreamingCall<_agentplane_artifact_v1_LoadArtifactRequest__Output, _agentplane_artifact_v1_LoadArtifactResponse>;
  
  SaveArtifact: grpc.handleClientStreamingCall<_agentplane_artifact_v1_SaveArtifactRequest__Output, _agentplane_artifact_v1_SaveArtifactResponse>;
  
}

export interface ArtifactServiceDefinition extends grpc.ServiceDefinition {
  DeleteArtifact: MethodDefinition<_agentplane_artifact_v1_DeleteArtifactRequest, _agentplane_artifact_v1_DeleteArtifactResponse, _agentplane_artifact_v1_DeleteArtifactRequest__Output, _agentplane_artifact_v1_DeleteArtifactResponse__Output>
  DeleteSessionArtifacts: MethodDefinition<_agentplane_artifact_v1_DeleteSessionArtifactsRequest, _agentplane_artifact_v1_DeleteSessionArtifactsResponse, _agentplane_artifact_v1_DeleteSessionArtifactsRequest__Output, _agentplane_artifact_v1_DeleteSessionArtifactsResponse__Output>
  GetArtifactVersion: MethodDefinition<_agentplane_artifact_v1_GetArtifactVersionRequest, _agentplane_artifact_v1_GetArtifactVersionResponse, _agentplane_artifact_v1_GetArtifactVersionRequest__Output, _agentplane_artifact_v1_GetArtifactVersionResponse__Output>
  ListArtifactKeys: MethodDefinition<_agentplane_artifact_v1_ListArtifactKeysRequest, _agentplane_artifact_v1_ListArtifactKeysResponse, _agentplane_artifact_v1_ListArtifactKeysRequest__Output, _agentplane_artifact_v1_ListArtifactKeysResponse__Output>
  ListArtifactVersions: MethodDefinition<_agentplane_artifact_v1_ListArtifactVersionsRequest, _agentplane_artifact_v1_ListArtifactVersionsResponse, _agentplane_artifact_v1_ListArtifactVersionsRequest__Output, _agentplane_artifact_v1_ListArtifactVersionsResponse__Output>
  ListVersions: MethodDefinition<_agentplane_artifact_v1_ListVersionsRequest, _agentplane_artifact_v1_ListVersionsResponse, _agentplane_artifact_v1_ListVersionsRequest__Output, _agentplane_artifact_v1_ListVersionsResponse__Output>
  LoadArtifact: MethodDefinition<_agentplane_artifact_v1_LoadArtifactRequest, _agentplane_artifact_v1_LoadArtifactResponse, _agentplane_artifact_v1_LoadArtifactRequest__Output, _agentplane_artifact_v1_LoadArtifactResponse__Output>
  SaveArtifact: MethodDefinition<_agentplane_artifact_v1_SaveArtifactRequest, _agentplane_artifact_v1_SaveArtifactResponse, _agentplane_artifact_v1_SaveArtifactRequest__Output, _agentplane_artifact_v1_SaveArtifactResponse__Output>
}
