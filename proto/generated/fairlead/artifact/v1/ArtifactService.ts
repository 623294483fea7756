// Original file: fairlead/artifact/v1/artifact_service.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { DeleteArtifactRequest as _fairlead_artifact_v1_DeleteArtifactRequest, DeleteArtifactRequest__Output as _fairlead_artifact_v1_DeleteArtifactRequest__Output } from '../../../fairlead/artifact/v1/DeleteArtifactRequest.ts';
import type { DeleteArtifactResponse as _fairlead_artifact_v1_DeleteArtifactResponse, DeleteArtifactResponse__Output as _fairlead_artifact_v1_DeleteArtifactResponse__Output } from '../../../fairlead/artifact/v1/DeleteArtifactResponse.ts';
import type { DeleteDataRequest as _fairlead_artifact_v1_DeleteDataRequest, DeleteDataRequest__Output as _fairlead_artifact_v1_DeleteDataRequest__Output } from '../../../fairlead/artifact/v1/DeleteDataRequest.ts';
import type { DeleteDataResponse as _fairlead_artifact_v1_DeleteDataResponse, DeleteDataResponse__Output as _fairlead_artifact_v1_DeleteDataResponse__Output } from '../../../fairlead/artifact/v1/DeleteDataResponse.ts';
import type { DeleteOldDataRequest as _fairlead_artifact_v1_DeleteOldDataRequest, DeleteOldDataRequest__Output as _fairlead_artifact_v1_DeleteOldDataRequest__Output } from '../../../fairlead/artifact/v1/DeleteOldDataRequest.ts';
import type { DeleteOldDataResponse as _fairlead_artifact_v1_DeleteOldDataResponse, DeleteOldDataResponse__Output as _fairlead_artifact_v1_DeleteOldDataResponse__Output } from '../../../fairlead/artifact/v1/DeleteOldDataResponse.ts';
import type { DeleteSessionArtifactsRequest as _fairlead_artifact_v1_DeleteSessionArtifactsRequest, DeleteSessionArtifactsRequest__Output as _fairlead_artifact_v1_DeleteSessionArtifactsRequest__Output } from '../../../fairlead/artifact/v1/DeleteSessionArtifactsRequest.ts';
import type { DeleteSessionArtifactsResponse as _fairlead_artifact_v1_DeleteSessionArtifactsResponse, DeleteSessionArtifactsResponse__Output as _fairlead_artifact_v1_DeleteSessionArtifactsResponse__Output } from '../../../fairlead/artifact/v1/DeleteSessionArtifactsResponse.ts';
import type { DescribeArtifactRequest as _fairlead_artifact_v1_DescribeArtifactRequest, DescribeArtifactRequest__Output as _fairlead_artifact_v1_DescribeArtifactRequest__Output } from '../../../fairlead/artifact/v1/DescribeArtifactRequest.ts';
import type { DescribeArtifactResponse as _fairlead_artifact_v1_DescribeArtifactResponse, DescribeArtifactResponse__Output as _fairlead_artifact_v1_DescribeArtifactResponse__Output } from '../../../fairlead/artifact/v1/DescribeArtifactResponse.ts';
import type { GetArtifactVersionRequest as _fairlead_artifact_v1_GetArtifactVersionRequest, GetArtifactVersionRequest__Output as _fairlead_artifact_v1_GetArtifactVersionRequest__Output } from '../../../fairlead/artifact/v1/GetArtifactVersionRequest.ts';
import type { GetArtifactVersionResponse as _fairlead_artifact_v1_GetArtifactVersionResponse, GetArtifactVersionResponse__Output as _fairlead_artifact_v1_GetArtifactVersionResponse__Output } from '../../../fairlead/artifact/v1/GetArtifactVersionResponse.ts';
import type { ListArtifactKeysRequest as _fairlead_artifact_v1_ListArtifactKeysRequest, ListArtifactKeysRequest__Output as _fairlead_artifact_v1_ListArtifactKeysRequest__Output } from '../../../fairlead/artifact/v1/ListArtifactKeysRequest.ts';
import type { ListArtifactKeysResponse as _fairlead_artifact_v1_ListArtifactKeysResponse, ListArtifactKeysResponse__Output as _fairlead_artifact_v1_ListArtifactKeysResponse__Output } from '../../../fairlead/artifact/v1/ListArtifactKeysResponse.ts';
import type { ListArtifactVersionsRequest as _fairlead_artifact_v1_ListArtifactVersionsRequest, ListArtifactVersionsRequest__Output as _fairlead_artifact_v1_ListArtifactVersionsRequest__Output } from '../../../fairlead/artifact/v1/ListArtifactVersionsRequest.ts';
import type { ListArtifactVersionsResponse as _fairlead_artifact_v1_ListArtifactVersionsResponse, ListArtifactVersionsResponse__Output as _fairlead_artifact_v1_ListArtifactVersionsResponse__Output } from '../../../fairlead/artifact/v1/ListArtifactVersionsResponse.ts';
import type { ListDataRequest as _fairlead_artifact_v1_ListDataRequest, ListDataRequest__Output as _fairlead_artifact_v1_ListDataRequest__Output } from '../../../fairlead/artifact/v1/ListDataRequest.ts';
import type { ListDataResponse as _fairlead_artifact_v1_ListDataResponse, ListDataResponse__Output as _fairlead_artifact_v1_ListDataResponse__Output } from '../../../fairlead/artifact/v1/ListDataResponse.ts';
import type { ListOldDataRequest as _fairlead_artifact_v1_ListOldDataRequest, ListOldDataRequest__Output as _fairlead_artifact_v1_ListOldDataRequest__Output } from '../../../fairlead/artifact/v1/ListOldDataRequest.ts';
import type { ListOldDataResponse as _fairlead_artifact_v1_ListOldDataResponse, ListOldDataResponse__Output as _fairlead_artifact_v1_ListOldDataResponse__Output } from '../../../fairlead/artifact/v1/ListOldDataResponse.ts';
import type { ListVersionsRequest as _fairlead_artifact_v1_ListVersionsRequest, ListVersionsRequest__Output as _fairlead_artifact_v1_ListVersionsRequest__Output } from '../../../fairlead/artifact/v1/ListVersionsRequest.ts';
import type { ListVersionsResponse as _fairlead_artifact_v1_ListVersionsResponse, ListVersionsResponse__Output as _fairlead_artifact_v1_ListVersionsResponse__Output } from '../../../fairlead/artifact/v1/ListVersionsResponse.ts';
import type { LoadArtifactRequest as _fairlead_artifact_v1_LoadArtifactRequest, LoadArtifactRequest__Output as _fairlead_artifact_v1_LoadArtifactRequest__Output } from '../../../fairlead/artifact/v1/LoadArtifactRequest.ts';
import type { LoadArtifactResponse as _fairlead_artifact_v1_LoadArtifactResponse, LoadArtifactResponse__Output as _fairlead_artifact_v1_LoadArtifactResponse__Output } from '../../../fairlead/artifact/v1/LoadArtifactResponse.ts';
import type { ReadArtifactRequest as _fairlead_artifact_v1_ReadArtifactRequest, ReadArtifactRequest__Output as _fairlead_artifact_v1_ReadArtifactRequest__Output } from '../../../fairlead/artifact/v1/ReadArtifactRequest.ts';
import type { ReadArtifactResponse as _fairlead_artifact_v1_ReadArtifactResponse, ReadArtifactResponse__Output as _fairlead_artifact_v1_ReadArtifactResponse__Output } from '../../../fairlead/artifact/v1/ReadArtifactResponse.ts';
import type { ReadStoredRequest as _fairlead_artifact_v1_ReadStoredRequest, ReadStoredRequest__Output as _fairlead_artifact_v1_ReadStoredRequest__Output } from '../../../fairlead/artifact/v1/ReadStoredRequest.ts';
import type { ReadStoredResponse as _fairlead_artifact_v1_ReadStoredResponse, ReadStoredResponse__Output as _fairlead_artifact_v1_ReadStoredResponse__Output } from '../../../fairlead/artifact/v1/ReadStoredResponse.ts';
import type { SaveArtifactRequest as _fairlead_artifact_v1_SaveArtifactRequest, SaveArtifactRequest__Output as _fairlead_artifact_v1_SaveArtifactRequest__Output } from '../../../fairlead/artifact/v1/SaveArtifactRequest.ts';
import type { SaveArtifactResponse as _fairlead_artifact_v1_SaveArtifactResponse, SaveArtifactResponse__Output as _fairlead_artifact_v1_SaveArtifactResponse__Output } from '../../../fairlead/artifact/v1/SaveArtifactResponse.ts';

export interface ArtifactServiceClient extends grpc.Client {
  DeleteArtifact(argument: _fairlead_artifact_v1_DeleteArtifactRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_DeleteArtifactResponse__Output>): grpc.ClientUnaryCall;
  DeleteArtifact(argument: _fairlead_artifact_v1_DeleteArtifactRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_artifact_v1_DeleteArtifactResponse__Output>): grpc.ClientUnaryCall;
  DeleteArtifact(argument: _fairlead_artifact_v1_DeleteArtifactRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_DeleteArtifactResponse__Output>): grpc.ClientUnaryCall;
  DeleteArtifact(argument: _fairlead_artifact_v1_DeleteArtifactRequest, callback: grpc.requestCallback<_fairlead_artifact_v1_DeleteArtifactResponse__Output>): grpc.ClientUnaryCall;
  deleteArtifact(argument: _fairlead_artifact_v1_DeleteArtifactRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_DeleteArtifactResponse__Output>): grpc.ClientUnaryCall;
  deleteArtifact(argument: _fairlead_artifact_v1_DeleteArtifactRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_artifact_v1_DeleteArtifactResponse__Output>): grpc.ClientUnaryCall;
  deleteArtifact(argument: _fairlead_artifact_v1_DeleteArtifactRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_DeleteArtifactResponse__Output>): grpc.ClientUnaryCall;
  deleteArtifact(argument: _fairlead_artifact_v1_DeleteArtifactRequest, callback: grpc.requestCallback<_fairlead_artifact_v1_DeleteArtifactResponse__Output>): grpc.ClientUnaryCall;
  
  DeleteData(argument: _fairlead_artifact_v1_DeleteDataRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_DeleteDataResponse__Output>): grpc.ClientUnaryCall;
  DeleteData(argument: _fairlead_artifact_v1_DeleteDataRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_artifact_v1_DeleteDataResponse__Output>): grpc.ClientUnaryCall;
  DeleteData(argument: _fairlead_artifact_v1_DeleteDataRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_DeleteDataResponse__Output>): grpc.ClientUnaryCall;
  DeleteData(argument: _fairlead_artifact_v1_DeleteDataRequest, callback: grpc.requestCallback<_fairlead_artifact_v1_DeleteDataResponse__Output>): grpc.ClientUnaryCall;
  deleteData(argument: _fairlead_artifact_v1_DeleteDataRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_DeleteDataResponse__Output>): grpc.ClientUnaryCall;
  deleteData(argument: _fairlead_artifact_v1_DeleteDataRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_artifact_v1_DeleteDataResponse__Output>): grpc.ClientUnaryCall;
  deleteData(argument: _fairlead_artifact_v1_DeleteDataRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_DeleteDataResponse__Output>): grpc.ClientUnaryCall;
  deleteData(argument: _fairlead_artifact_v1_DeleteDataRequest, callback: grpc.requestCallback<_fairlead_artifact_v1_DeleteDataResponse__Output>): grpc.ClientUnaryCall;
  
  DeleteOldData(argument: _fairlead_artifact_v1_DeleteOldDataRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_DeleteOldDataResponse__Output>): grpc.ClientUnaryCall;
  DeleteOldData(argument: _fairlead_artifact_v1_DeleteOldDataRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_artifact_v1_DeleteOldDataResponse__Output>): grpc.ClientUnaryCall;
  DeleteOldData(argument: _fairlead_artifact_v1_DeleteOldDataRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_DeleteOldDataResponse__Output>): grpc.ClientUnaryCall;
  DeleteOldData(argument: _fairlead_artifact_v1_DeleteOldDataRequest, callback: grpc.requestCallback<_fairlead_artifact_v1_DeleteOldDataResponse__Output>): grpc.ClientUnaryCall;
  deleteOldData(argument: _fairlead_artifact_v1_DeleteOldDataRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_DeleteOldDataResponse__Output>): grpc.ClientUnaryCall;
  deleteOldData(argument: _fairlead_artifact_v1_DeleteOldDataRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_artifact_v1_DeleteOldDataResponse__Output>): grpc.ClientUnaryCall;
  deleteOldData(argument: _fairlead_artifact_v1_DeleteOldDataRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_DeleteOldDataResponse__Output>): grpc.ClientUnaryCall;
  deleteOldData(argument: _fairlead_artifact_v1_DeleteOldDataRequest, callback: grpc.requestCallback<_fairlead_artifact_v1_DeleteOldDataResponse__Output>): grpc.ClientUnaryCall;
  
  DeleteSessionArtifacts(argument: _fairlead_artifact_v1_DeleteSessionArtifactsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_DeleteSessionArtifactsResponse__Output>): grpc.ClientUnaryCall;
  DeleteSessionArtifacts(argument: _fairlead_artifact_v1_DeleteSessionArtifactsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_artifact_v1_DeleteSessionArtifactsResponse__Output>): grpc.ClientUnaryCall;
  DeleteSessionArtifacts(argument: _fairlead_artifact_v1_DeleteSessionArtifactsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_DeleteSessionArtifactsResponse__Output>): grpc.ClientUnaryCall;
  DeleteSessionArtifacts(argument: _fairlead_artifact_v1_DeleteSessionArtifactsRequest, callback: grpc.requestCallback<_fairlead_artifact_v1_DeleteSessionArtifactsResponse__Output>): grpc.ClientUnaryCall;
  deleteSessionArtifacts(argument: _fairlead_artifact_v1_DeleteSessionArtifactsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_DeleteSessionArtifactsResponse__Output>): grpc.ClientUnaryCall;
  deleteSessionArtifacts(argument: _fairlead_artifact_v1_DeleteSessionArtifactsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_artifact_v1_DeleteSessionArtifactsResponse__Output>): grpc.ClientUnaryCall;
  deleteSessionArtifacts(argument: _fairlead_artifact_v1_DeleteSessionArtifactsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_DeleteSessionArtifactsResponse__Output>): grpc.ClientUnaryCall;
  deleteSessionArtifacts(argument: _fairlead_artifact_v1_DeleteSessionArtifactsRequest, callback: grpc.requestCallback<_fairlead_artifact_v1_DeleteSessionArtifactsResponse__Output>): grpc.ClientUnaryCall;
  
  DescribeArtifact(argument: _fairlead_artifact_v1_DescribeArtifactRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_DescribeArtifactResponse__Output>): grpc.ClientUnaryCall;
  DescribeArtifact(argument: _fairlead_artifact_v1_DescribeArtifactRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_artifact_v1_DescribeArtifactResponse__Output>): grpc.ClientUnaryCall;
  DescribeArtifact(argument: _fairlead_artifact_v1_DescribeArtifactRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_DescribeArtifactResponse__Output>): grpc.ClientUnaryCall;
  DescribeArtifact(argument: _fairlead_artifact_v1_DescribeArtifactRequest, callback: grpc.requestCallback<_fairlead_artifact_v1_DescribeArtifactResponse__Output>): grpc.ClientUnaryCall;
  describeArtifact(argument: _fairlead_artifact_v1_DescribeArtifactRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_DescribeArtifactResponse__Output>): grpc.ClientUnaryCall;
  describeArtifact(argument: _fairlead_artifact_v1_DescribeArtifactRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_artifact_v1_DescribeArtifactResponse__Output>): grpc.ClientUnaryCall;
  describeArtifact(argument: _fairlead_artifact_v1_DescribeArtifactRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_DescribeArtifactResponse__Output>): grpc.ClientUnaryCall;
  describeArtifact(argument: _fairlead_artifact_v1_DescribeArtifactRequest, callback: grpc.requestCallback<_fairlead_artifact_v1_DescribeArtifactResponse__Output>): grpc.ClientUnaryCall;
  
  GetArtifactVersion(argument: _fairlead_artifact_v1_GetArtifactVersionRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_GetArtifactVersionResponse__Output>): grpc.ClientUnaryCall;
  GetArtifactVersion(argument: _fairlead_artifact_v1_GetArtifactVersionRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_artifact_v1_GetArtifactVersionResponse__Output>): grpc.ClientUnaryCall;
  GetArtifactVersion(argument: _fairlead_artifact_v1_GetArtifactVersionRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_GetArtifactVersionResponse__Output>): grpc.ClientUnaryCall;
  GetArtifactVersion(argument: _fairlead_artifact_v1_GetArtifactVersionRequest, callback: grpc.requestCallback<_fairlead_artifact_v1_GetArtifactVersionResponse__Output>): grpc.ClientUnaryCall;
  getArtifactVersion(argument: _fairlead_artifact_v1_GetArtifactVersionRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_GetArtifactVersionResponse__Output>): grpc.ClientUnaryCall;
  getArtifactVersion(argument: _fairlead_artifact_v1_GetArtifactVersionRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_artifact_v1_GetArtifactVersionResponse__Output>): grpc.ClientUnaryCall;
  getArtifactVersion(argument: _fairlead_artifact_v1_GetArtifactVersionRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_GetArtifactVersionResponse__Output>): grpc.ClientUnaryCall;
  getArtifactVersion(argument: _fairlead_artifact_v1_GetArtifactVersionRequest, callback: grpc.requestCallback<_fairlead_artifact_v1_GetArtifactVersionResponse__Output>): grpc.ClientUnaryCall;
  
  ListArtifactKeys(argument: _fairlead_artifact_v1_ListArtifactKeysRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_ListArtifactKeysResponse__Output>): grpc.ClientUnaryCall;
  ListArtifactKeys(argument: _fairlead_artifact_v1_ListArtifactKeysRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_artifact_v1_ListArtifactKeysResponse__Output>): grpc.ClientUnaryCall;
  ListArtifactKeys(argument: _fairlead_artifact_v1_ListArtifactKeysRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_ListArtifactKeysResponse__Output>): grpc.ClientUnaryCall;
  ListArtifactKeys(argument: _fairlead_artifact_v1_ListArtifactKeysRequest, callback: grpc.requestCallback<_fairlead_artifact_v1_ListArtifactKeysResponse__Output>): grpc.ClientUnaryCall;
  listArtifactKeys(argument: _fairlead_artifact_v1_ListArtifactKeysRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_ListArtifactKeysResponse__Output>): grpc.ClientUnaryCall;
  listArtifactKeys(argument: _fairlead_artifact_v1_ListArtifactKeysRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_artifact_v1_ListArtifactKeysResponse__Output>): grpc.ClientUnaryCall;
  listArtifactKeys(argument: _fairlead_artifact_v1_ListArtifactKeysRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_ListArtifactKeysResponse__Output>): grpc.ClientUnaryCall;
  listArtifactKeys(argument: _fairlead_artifact_v1_ListArtifactKeysRequest, callback: grpc.requestCallback<_fairlead_artifact_v1_ListArtifactKeysResponse__Output>): grpc.ClientUnaryCall;
  
  ListArtifactVersions(argument: _fairlead_artifact_v1_ListArtifactVersionsRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_artifact_v1_ListArtifactVersionsResponse__Output>;
  ListArtifactVersions(argument: _fairlead_artifact_v1_ListArtifactVersionsRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_artifact_v1_ListArtifactVersionsResponse__Output>;
  listArtifactVersions(argument: _fairlead_artifact_v1_ListArtifactVersionsRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_artifact_v1_ListArtifactVersionsResponse__Output>;
  listArtifactVersions(argument: _fairlead_artifact_v1_ListArtifactVersionsRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_artifact_v1_ListArtifactVersionsResponse__Output>;
  
  ListData(argument: _fairlead_artifact_v1_ListDataRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_ListDataResponse__Output>): grpc.ClientUnaryCall;
  ListData(argument: _fairlead_artifact_v1_ListDataRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_artifact_v1_ListDataResponse__Output>): grpc.ClientUnaryCall;
  ListData(argument: _fairlead_artifact_v1_ListDataRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_ListDataResponse__Output>): grpc.ClientUnaryCall;
  ListData(argument: _fairlead_artifact_v1_ListDataRequest, callback: grpc.requestCallback<_fairlead_artifact_v1_ListDataResponse__Output>): grpc.ClientUnaryCall;
  listData(argument: _fairlead_artifact_v1_ListDataRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_ListDataResponse__Output>): grpc.ClientUnaryCall;
  listData(argument: _fairlead_artifact_v1_ListDataRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_artifact_v1_ListDataResponse__Output>): grpc.ClientUnaryCall;
  listData(argument: _fairlead_artifact_v1_ListDataRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_ListDataResponse__Output>): grpc.ClientUnaryCall;
  listData(argument: _fairlead_artifact_v1_ListDataRequest, callback: grpc.requestCallback<_fairlead_artifact_v1_ListDataResponse__Output>): grpc.ClientUnaryCall;
  
  ListOldData(argument: _fairlead_artifact_v1_ListOldDataRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_ListOldDataResponse__Output>): grpc.ClientUnaryCall;
  ListOldData(argument: _fairlead_artifact_v1_ListOldDataRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_artifact_v1_ListOldDataResponse__Output>): grpc.ClientUnaryCall;
  ListOldData(argument: _fairlead_artifact_v1_ListOldDataRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_ListOldDataResponse__Output>): grpc.ClientUnaryCall;
  ListOldData(argument: _fairlead_artifact_v1_ListOldDataRequest, callback: grpc.requestCallback<_fairlead_artifact_v1_ListOldDataResponse__Output>): grpc.ClientUnaryCall;
  listOldData(argument: _fairlead_artifact_v1_ListOldDataRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_ListOldDataResponse__Output>): grpc.ClientUnaryCall;
  listOldData(argument: _fairlead_artifact_v1_ListOldDataRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_artifact_v1_ListOldDataResponse__Output>): grpc.ClientUnaryCall;
  listOldData(argument: _fairlead_artifact_v1_ListOldDataRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_ListOldDataResponse__Output>): grpc.ClientUnaryCall;
  listOldData(argument: _fairlead_artifact_v1_ListOldDataRequest, callback: grpc.requestCallback<_fairlead_artifact_v1_ListOldDataResponse__Output>): grpc.ClientUnaryCall;
  
  ListVersions(argument: _fairlead_artifact_v1_ListVersionsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_ListVersionsResponse__Output>): grpc.ClientUnaryCall;
  ListVersions(argument: _fairlead_artifact_v1_ListVersionsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_artifact_v1_ListVersionsResponse__Output>): grpc.ClientUnaryCall;
  ListVersions(argument: _fairlead_artifact_v1_ListVersionsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_ListVersionsResponse__Output>): grpc.ClientUnaryCall;
  ListVersions(argument: _fairlead_artifact_v1_ListVersionsRequest, callback: grpc.requestCallback<_fairlead_artifact_v1_ListVersionsResponse__Output>): grpc.ClientUnaryCall;
  listVersions(argument: _fairlead_artifact_v1_ListVersionsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_ListVersionsResponse__Output>): grpc.ClientUnaryCall;
  listVersions(argument: _fairlead_artifact_v1_ListVersionsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_artifact_v1_ListVersionsResponse__Output>): grpc.ClientUnaryCall;
  listVersions(argument: _fairlead_artifact_v1_ListVersionsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_ListVersionsResponse__Output>): grpc.ClientUnaryCall;
  listVersions(argument: _fairlead_artifact_v1_ListVersionsRequest, callback: grpc.requestCallback<_fairlead_artifact_v1_ListVersionsResponse__Output>): grpc.ClientUnaryCall;
  
  LoadArtifact(argument: _fairlead_artifact_v1_LoadArtifactRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_artifact_v1_LoadArtifactResponse__Output>;
  LoadArtifact(argument: _fairlead_artifact_v1_LoadArtifactRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_artifact_v1_LoadArtifactResponse__Output>;
  loadArtifact(argument: _fairlead_artifact_v1_LoadArtifactRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_artifact_v1_LoadArtifactResponse__Output>;
  loadArtifact(argument: _fairlead_artifact_v1_LoadArtifactRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_artifact_v1_LoadArtifactResponse__Output>;
  
  ReadArtifact(argument: _fairlead_artifact_v1_ReadArtifactRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_ReadArtifactResponse__Output>): grpc.ClientUnaryCall;
  ReadArtifact(argument: _fairlead_artifact_v1_ReadArtifactRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_artifact_v1_ReadArtifactResponse__Output>): grpc.ClientUnaryCall;
  ReadArtifact(argument: _fairlead_artifact_v1_ReadArtifactRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_ReadArtifactResponse__Output>): grpc.ClientUnaryCall;
  ReadArtifact(argument: _fairlead_artifact_v1_ReadArtifactRequest, callback: grpc.requestCallback<_fairlead_artifact_v1_ReadArtifactResponse__Output>): grpc.ClientUnaryCall;
  readArtifact(argument: _fairlead_artifact_v1_ReadArtifactRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_ReadArtifactResponse__Output>): grpc.ClientUnaryCall;
  readArtifact(argument: _fairlead_artifact_v1_ReadArtifactRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_artifact_v1_ReadArtifactResponse__Output>): grpc.ClientUnaryCall;
  readArtifact(argument: _fairlead_artifact_v1_ReadArtifactRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_ReadArtifactResponse__Output>): grpc.ClientUnaryCall;
  readArtifact(argument: _fairlead_artifact_v1_ReadArtifactRequest, callback: grpc.requestCallback<_fairlead_artifact_v1_ReadArtifactResponse__Output>): grpc.ClientUnaryCall;
  
  ReadStored(argument: _fairlead_artifact_v1_ReadStoredRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_ReadStoredResponse__Output>): grpc.ClientUnaryCall;
  ReadStored(argument: _fairlead_artifact_v1_ReadStoredRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_artifact_v1_ReadStoredResponse__Output>): grpc.ClientUnaryCall;
  ReadStored(argument: _fairlead_artifact_v1_ReadStoredRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_ReadStoredResponse__Output>): grpc.ClientUnaryCall;
  ReadStored(argument: _fairlead_artifact_v1_ReadStoredRequest, callback: grpc.requestCallback<_fairlead_artifact_v1_ReadStoredResponse__Output>): grpc.ClientUnaryCall;
  readStored(argument: _fairlead_artifact_v1_ReadStoredRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_ReadStoredResponse__Output>): grpc.ClientUnaryCall;
  readStored(argument: _fairlead_artifact_v1_ReadStoredRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_artifact_v1_ReadStoredResponse__Output>): grpc.ClientUnaryCall;
  readStored(argument: _fairlead_artifact_v1_ReadStoredRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_ReadStoredResponse__Output>): grpc.ClientUnaryCall;
  readStored(argument: _fairlead_artifact_v1_ReadStoredRequest, callback: grpc.requestCallback<_fairlead_artifact_v1_ReadStoredResponse__Output>): grpc.ClientUnaryCall;
  
  SaveArtifact(metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_SaveArtifactResponse__Output>): grpc.ClientWritableStream<_fairlead_artifact_v1_SaveArtifactRequest>;
  SaveArtifact(metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_artifact_v1_SaveArtifactResponse__Output>): grpc.ClientWritableStream<_fairlead_artifact_v1_SaveArtifactRequest>;
  SaveArtifact(options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_SaveArtifactResponse__Output>): grpc.ClientWritableStream<_fairlead_artifact_v1_SaveArtifactRequest>;
  SaveArtifact(callback: grpc.requestCallback<_fairlead_artifact_v1_SaveArtifactResponse__Output>): grpc.ClientWritableStream<_fairlead_artifact_v1_SaveArtifactRequest>;
  saveArtifact(metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_SaveArtifactResponse__Output>): grpc.ClientWritableStream<_fairlead_artifact_v1_SaveArtifactRequest>;
  saveArtifact(metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_artifact_v1_SaveArtifactResponse__Output>): grpc.ClientWritableStream<_fairlead_artifact_v1_SaveArtifactRequest>;
  saveArtifact(options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_artifact_v1_SaveArtifactResponse__Output>): grpc.ClientWritableStream<_fairlead_artifact_v1_SaveArtifactRequest>;
  saveArtifact(callback: grpc.requestCallback<_fairlead_artifact_v1_SaveArtifactResponse__Output>): grpc.ClientWritableStream<_fairlead_artifact_v1_SaveArtifactRequest>;
  
}

export interface ArtifactServiceHandlers extends grpc.UntypedServiceImplementation {
  DeleteArtifact: grpc.handleUnaryCall<_fairlead_artifact_v1_DeleteArtifactRequest__Output, _fairlead_artifact_v1_DeleteArtifactResponse>;
  
  DeleteData: grpc.handleUnaryCall<_fairlead_artifact_v1_DeleteDataRequest__Output, _fairlead_artifact_v1_DeleteDataResponse>;
  
  DeleteOldData: grpc.handleUnaryCall<_fairlead_artifact_v1_DeleteOldDataRequest__Output, _fairlead_artifact_v1_DeleteOldDataResponse>;
  
  DeleteSessionArtifacts: grpc.handleUnaryCall<_fairlead_artifact_v1_DeleteSessionArtifactsRequest__Output, _fairlead_artifact_v1_DeleteSessionArtifactsResponse>;
  
  DescribeArtifact: grpc.handleUnaryCall<_fairlead_artifact_v1_DescribeArtifactRequest__Output, _fairlead_artifact_v1_DescribeArtifactResponse>;
  
  GetArtifactVersion: grpc.handleUnaryCall<_fairlead_artifact_v1_GetArtifactVersionRequest__Output, _fairlead_artifact_v1_GetArtifactVersionResponse>;
  
  ListArtifactKeys: grpc.handleUnaryCall<_fairlead_artifact_v1_ListArtifactKeysRequest__Output, _fairlead_artifact_v1_ListArtifactKeysResponse>;
  
  ListArtifactVersions: grpc.handleServerStreamingCall<_fairlead_artifact_v1_ListArtifactVersionsRequest__Output, _fairlead_artifact_v1_ListArtifactVersionsResponse>;
  
  ListData: grpc.handleUnaryCall<_fairlead_artifact_v1_ListDataRequest__Output, _fairlead_artifact_v1_ListDataResponse>;
  
  ListOldData: grpc.handleUnaryCall<_fairlead_artifact_v1_ListOldDataRequest__Output, _fairlead_artifact_v1_ListOldDataResponse>;
  
  ListVersions: grpc.handleUnaryCall<_fairlead_artifact_v1_ListVersionsRequest__Output, _fairlead_artifact_v1_ListVersionsResponse>;
  
  LoadArtifact: grpc.handleServerStreamingCall<_fairlead_artifact_v1_LoadArtifactRequest__Output, _fairlead_artifact_v1_LoadArtifactResponse>;
  
  ReadArtifact: grpc.handleUnaryCall<_fairlead_artifact_v1_ReadArtifactRequest__Output, _fairlead_artifact_v1_ReadArtifactResponse>;
  
  ReadStored: grpc.handleUnaryCall<_fairlead_artifact_v1_ReadStoredRequest__Output, _fairlead_artifact_v1_ReadStoredResponse>;
  
  SaveArtifact: grpc.handleClientStreamingCall<_fairlead_artifact_v1_SaveArtifactRequest__Output, _fairlead_artifact_v1_SaveArtifactResponse>;
  
}

export interface ArtifactServiceDefinition extends grpc.ServiceDefinition {
  DeleteArtifact: MethodDefinition<_fairlead_artifact_v1_DeleteArtifactRequest, _fairlead_artifact_v1_DeleteArtifactResponse, _fairlead_artifact_v1_DeleteArtifactRequest__Output, _fairlead_artifact_v1_DeleteArtifactResponse__Output>
  DeleteData: MethodDefinition<_fairlead_artifact_v1_DeleteDataRequest, _fairlead_artifact_v1_DeleteDataResponse, _fairlead_artifact_v1_DeleteDataRequest__Output, _fairlead_artifact_v1_DeleteDataResponse__Output>
  DeleteOldData: MethodDefinition<_fairlead_artifact_v1_DeleteOldDataRequest, _fairlead_artifact_v1_DeleteOldDataResponse, _fairlead_artifact_v1_DeleteOldDataRequest__Output, _fairlead_artifact_v1_DeleteOldDataResponse__Output>
  DeleteSessionArtifacts: MethodDefinition<_fairlead_artifact_v1_DeleteSessionArtifactsRequest, _fairlead_artifact_v1_DeleteSessionArtifactsResponse, _fairlead_artifact_v1_DeleteSessionArtifactsRequest__Output, _fairlead_artifact_v1_DeleteSessionArtifactsResponse__Output>
  DescribeArtifact: MethodDefinition<_fairlead_artifact_v1_DescribeArtifactRequest, _fairlead_artifact_v1_DescribeArtifactResponse, _fairlead_artifact_v1_DescribeArtifactRequest__Output, _fairlead_artifact_v1_DescribeArtifactResponse__Output>
  GetArtifactVersion: MethodDefinition<_fairlead_artifact_v1_GetArtifactVersionRequest, _fairlead_artifact_v1_GetArtifactVersionResponse, _fairlead_artifact_v1_GetArtifactVersionRequest__Output, _fairlead_artifact_v1_GetArtifactVersionResponse__Output>
  ListArtifactKeys: MethodDefinition<_fairlead_artifact_v1_ListArtifactKeysRequest, _fairlead_artifact_v1_ListArtifactKeysResponse, _fairlead_artifact_v1_ListArtifactKeysRequest__Output, _fairlead_artifact_v1_ListArtifactKeysResponse__Output>
  ListArtifactVersions: MethodDefinition<_fairlead_artifact_v1_ListArtifactVersionsRequest, _fairlead_artifact_v1_ListArtifactVersionsResponse, _fairlead_artifact_v1_ListArtifactVersionsRequest__Output, _fairlead_artifact_v1_ListArtifactVersionsResponse__Output>
  ListData: MethodDefinition<_fairlead_artifact_v1_ListDataRequest, _fairlead_artifact_v1_ListDataResponse, _fairlead_artifact_v1_ListDataRequest__Output, _fairlead_artifact_v1_ListDataResponse__Output>
  ListOldData: MethodDefinition<_fairlead_artifact_v1_ListOldDataRequest, _fairlead_artifact_v1_ListOldDataResponse, _fairlead_artifact_v1_ListOldDataRequest__Output, _fairlead_artifact_v1_ListOldDataResponse__Output>
  ListVersions: MethodDefinition<_fairlead_artifact_v1_ListVersionsRequest, _fairlead_artifact_v1_ListVersionsResponse, _fairlead_artifact_v1_ListVersionsRequest__Output, _fairlead_artifact_v1_ListVersionsResponse__Output>
  LoadArtifact: MethodDefinition<_fairlead_artifact_v1_LoadArtifactRequest, _fairlead_artifact_v1_LoadArtifactResponse, _fairlead_artifact_v1_LoadArtifactRequest__Output, _fairlead_artifact_v1_LoadArtifactResponse__Output>
  ReadArtifact: MethodDefinition<_fairlead_artifact_v1_ReadArtifactRequest, _fairlead_artifact_v1_ReadArtifactResponse, _fairlead_artifact_v1_ReadArtifactRequest__Output, _fairlead_artifact_v1_ReadArtifactResponse__Output>
  ReadStored: MethodDefinition<_fairlead_artifact_v1_ReadStoredRequest, _fairlead_artifact_v1_ReadStoredResponse, _fairlead_artifact_v1_ReadStoredRequest__Output, _fairlead_artifact_v1_ReadStoredResponse__Output>
  SaveArtifact: MethodDefinition<_fairlead_artifact_v1_SaveArtifactRequest, _fairlead_artifact_v1_SaveArtifactResponse, _fairlead_artifact_v1_SaveArtifactRequest__Output, _fairlead_artifact_v1_SaveArtifactResponse__Output>
}
