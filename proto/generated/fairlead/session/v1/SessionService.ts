// Original file: fairlead/session/v1/session_service.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { AllowEvaluationRequest as _fairlead_session_v1_AllowEvaluationRequest, AllowEvaluationRequest__Output as _fairlead_session_v1_AllowEvaluationRequest__Output } from '../../../fairlead/session/v1/AllowEvaluationRequest.ts';
import type { AllowEvaluationResponse as _fairlead_session_v1_AllowEvaluationResponse, AllowEvaluationResponse__Output as _fairlead_session_v1_AllowEvaluationResponse__Output } from '../../../fairlead/session/v1/AllowEvaluationResponse.ts';
import type { AppendEventRequest as _fairlead_session_v1_AppendEventRequest, AppendEventRequest__Output as _fairlead_session_v1_AppendEventRequest__Output } from '../../../fairlead/session/v1/AppendEventRequest.ts';
import type { AppendEventResponse as _fairlead_session_v1_AppendEventResponse, AppendEventResponse__Output as _fairlead_session_v1_AppendEventResponse__Output } from '../../../fairlead/session/v1/AppendEventResponse.ts';
import type { ApplyStateDeltaRequest as _fairlead_session_v1_ApplyStateDeltaRequest, ApplyStateDeltaRequest__Output as _fairlead_session_v1_ApplyStateDeltaRequest__Output } from '../../../fairlead/session/v1/ApplyStateDeltaRequest.ts';
import type { ApplyStateDeltaResponse as _fairlead_session_v1_ApplyStateDeltaResponse, ApplyStateDeltaResponse__Output as _fairlead_session_v1_ApplyStateDeltaResponse__Output } from '../../../fairlead/session/v1/ApplyStateDeltaResponse.ts';
import type { BeginDeletionRequest as _fairlead_session_v1_BeginDeletionRequest, BeginDeletionRequest__Output as _fairlead_session_v1_BeginDeletionRequest__Output } from '../../../fairlead/session/v1/BeginDeletionRequest.ts';
import type { BeginDeletionResponse as _fairlead_session_v1_BeginDeletionResponse, BeginDeletionResponse__Output as _fairlead_session_v1_BeginDeletionResponse__Output } from '../../../fairlead/session/v1/BeginDeletionResponse.ts';
import type { CloseSessionRequest as _fairlead_session_v1_CloseSessionRequest, CloseSessionRequest__Output as _fairlead_session_v1_CloseSessionRequest__Output } from '../../../fairlead/session/v1/CloseSessionRequest.ts';
import type { CloseSessionResponse as _fairlead_session_v1_CloseSessionResponse, CloseSessionResponse__Output as _fairlead_session_v1_CloseSessionResponse__Output } from '../../../fairlead/session/v1/CloseSessionResponse.ts';
import type { CreateSessionRequest as _fairlead_session_v1_CreateSessionRequest, CreateSessionRequest__Output as _fairlead_session_v1_CreateSessionRequest__Output } from '../../../fairlead/session/v1/CreateSessionRequest.ts';
import type { CreateSessionResponse as _fairlead_session_v1_CreateSessionResponse, CreateSessionResponse__Output as _fairlead_session_v1_CreateSessionResponse__Output } from '../../../fairlead/session/v1/CreateSessionResponse.ts';
import type { DeleteDataRequest as _fairlead_session_v1_DeleteDataRequest, DeleteDataRequest__Output as _fairlead_session_v1_DeleteDataRequest__Output } from '../../../fairlead/session/v1/DeleteDataRequest.ts';
import type { DeleteDataResponse as _fairlead_session_v1_DeleteDataResponse, DeleteDataResponse__Output as _fairlead_session_v1_DeleteDataResponse__Output } from '../../../fairlead/session/v1/DeleteDataResponse.ts';
import type { DeleteOldDataRequest as _fairlead_session_v1_DeleteOldDataRequest, DeleteOldDataRequest__Output as _fairlead_session_v1_DeleteOldDataRequest__Output } from '../../../fairlead/session/v1/DeleteOldDataRequest.ts';
import type { DeleteOldDataResponse as _fairlead_session_v1_DeleteOldDataResponse, DeleteOldDataResponse__Output as _fairlead_session_v1_DeleteOldDataResponse__Output } from '../../../fairlead/session/v1/DeleteOldDataResponse.ts';
import type { DeleteSessionRequest as _fairlead_session_v1_DeleteSessionRequest, DeleteSessionRequest__Output as _fairlead_session_v1_DeleteSessionRequest__Output } from '../../../fairlead/session/v1/DeleteSessionRequest.ts';
import type { DeleteSessionResponse as _fairlead_session_v1_DeleteSessionResponse, DeleteSessionResponse__Output as _fairlead_session_v1_DeleteSessionResponse__Output } from '../../../fairlead/session/v1/DeleteSessionResponse.ts';
import type { EndDeletionRequest as _fairlead_session_v1_EndDeletionRequest, EndDeletionRequest__Output as _fairlead_session_v1_EndDeletionRequest__Output } from '../../../fairlead/session/v1/EndDeletionRequest.ts';
import type { EndDeletionResponse as _fairlead_session_v1_EndDeletionResponse, EndDeletionResponse__Output as _fairlead_session_v1_EndDeletionResponse__Output } from '../../../fairlead/session/v1/EndDeletionResponse.ts';
import type { GetSessionRequest as _fairlead_session_v1_GetSessionRequest, GetSessionRequest__Output as _fairlead_session_v1_GetSessionRequest__Output } from '../../../fairlead/session/v1/GetSessionRequest.ts';
import type { GetSessionResponse as _fairlead_session_v1_GetSessionResponse, GetSessionResponse__Output as _fairlead_session_v1_GetSessionResponse__Output } from '../../../fairlead/session/v1/GetSessionResponse.ts';
import type { GrantEvaluationRequest as _fairlead_session_v1_GrantEvaluationRequest, GrantEvaluationRequest__Output as _fairlead_session_v1_GrantEvaluationRequest__Output } from '../../../fairlead/session/v1/GrantEvaluationRequest.ts';
import type { GrantEvaluationResponse as _fairlead_session_v1_GrantEvaluationResponse, GrantEvaluationResponse__Output as _fairlead_session_v1_GrantEvaluationResponse__Output } from '../../../fairlead/session/v1/GrantEvaluationResponse.ts';
import type { ListDataRequest as _fairlead_session_v1_ListDataRequest, ListDataRequest__Output as _fairlead_session_v1_ListDataRequest__Output } from '../../../fairlead/session/v1/ListDataRequest.ts';
import type { ListDataResponse as _fairlead_session_v1_ListDataResponse, ListDataResponse__Output as _fairlead_session_v1_ListDataResponse__Output } from '../../../fairlead/session/v1/ListDataResponse.ts';
import type { ListDeletionsRequest as _fairlead_session_v1_ListDeletionsRequest, ListDeletionsRequest__Output as _fairlead_session_v1_ListDeletionsRequest__Output } from '../../../fairlead/session/v1/ListDeletionsRequest.ts';
import type { ListDeletionsResponse as _fairlead_session_v1_ListDeletionsResponse, ListDeletionsResponse__Output as _fairlead_session_v1_ListDeletionsResponse__Output } from '../../../fairlead/session/v1/ListDeletionsResponse.ts';
import type { ListEventsRequest as _fairlead_session_v1_ListEventsRequest, ListEventsRequest__Output as _fairlead_session_v1_ListEventsRequest__Output } from '../../../fairlead/session/v1/ListEventsRequest.ts';
import type { ListEventsResponse as _fairlead_session_v1_ListEventsResponse, ListEventsResponse__Output as _fairlead_session_v1_ListEventsResponse__Output } from '../../../fairlead/session/v1/ListEventsResponse.ts';
import type { ListIdleSessionsRequest as _fairlead_session_v1_ListIdleSessionsRequest, ListIdleSessionsRequest__Output as _fairlead_session_v1_ListIdleSessionsRequest__Output } from '../../../fairlead/session/v1/ListIdleSessionsRequest.ts';
import type { ListIdleSessionsResponse as _fairlead_session_v1_ListIdleSessionsResponse, ListIdleSessionsResponse__Output as _fairlead_session_v1_ListIdleSessionsResponse__Output } from '../../../fairlead/session/v1/ListIdleSessionsResponse.ts';
import type { ListOldDataRequest as _fairlead_session_v1_ListOldDataRequest, ListOldDataRequest__Output as _fairlead_session_v1_ListOldDataRequest__Output } from '../../../fairlead/session/v1/ListOldDataRequest.ts';
import type { ListOldDataResponse as _fairlead_session_v1_ListOldDataResponse, ListOldDataResponse__Output as _fairlead_session_v1_ListOldDataResponse__Output } from '../../../fairlead/session/v1/ListOldDataResponse.ts';
import type { ListSessionsRequest as _fairlead_session_v1_ListSessionsRequest, ListSessionsRequest__Output as _fairlead_session_v1_ListSessionsRequest__Output } from '../../../fairlead/session/v1/ListSessionsRequest.ts';
import type { ListSessionsResponse as _fairlead_session_v1_ListSessionsResponse, ListSessionsResponse__Output as _fairlead_session_v1_ListSessionsResponse__Output } from '../../../fairlead/session/v1/ListSessionsResponse.ts';
import type { ReadStorageRequest as _fairlead_session_v1_ReadStorageRequest, ReadStorageRequest__Output as _fairlead_session_v1_ReadStorageRequest__Output } from '../../../fairlead/session/v1/ReadStorageRequest.ts';
import type { ReadStorageResponse as _fairlead_session_v1_ReadStorageResponse, ReadStorageResponse__Output as _fairlead_session_v1_ReadStorageResponse__Output } from '../../../fairlead/session/v1/ReadStorageResponse.ts';

export interface SessionServiceClient extends grpc.Client {
  AllowEvaluation(argument: _fairlead_session_v1_AllowEvaluationRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_AllowEvaluationResponse__Output>): grpc.ClientUnaryCall;
  AllowEvaluation(argument: _fairlead_session_v1_AllowEvaluationRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_session_v1_AllowEvaluationResponse__Output>): grpc.ClientUnaryCall;
  AllowEvaluation(argument: _fairlead_session_v1_AllowEvaluationRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_AllowEvaluationResponse__Output>): grpc.ClientUnaryCall;
  AllowEvaluation(argument: _fairlead_session_v1_AllowEvaluationRequest, callback: grpc.requestCallback<_fairlead_session_v1_AllowEvaluationResponse__Output>): grpc.ClientUnaryCall;
  allowEvaluation(argument: _fairlead_session_v1_AllowEvaluationRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_AllowEvaluationResponse__Output>): grpc.ClientUnaryCall;
  allowEvaluation(argument: _fairlead_session_v1_AllowEvaluationRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_session_v1_AllowEvaluationResponse__Output>): grpc.ClientUnaryCall;
  allowEvaluation(argument: _fairlead_session_v1_AllowEvaluationRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_AllowEvaluationResponse__Output>): grpc.ClientUnaryCall;
  allowEvaluation(argument: _fairlead_session_v1_AllowEvaluationRequest, callback: grpc.requestCallback<_fairlead_session_v1_AllowEvaluationResponse__Output>): grpc.ClientUnaryCall;
  
  AppendEvent(argument: _fairlead_session_v1_AppendEventRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_session_v1_AppendEventResponse__Output>;
  AppendEvent(argument: _fairlead_session_v1_AppendEventRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_session_v1_AppendEventResponse__Output>;
  appendEvent(argument: _fairlead_session_v1_AppendEventRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_session_v1_AppendEventResponse__Output>;
  appendEvent(argument: _fairlead_session_v1_AppendEventRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_session_v1_AppendEventResponse__Output>;
  
  ApplyStateDelta(argument: _fairlead_session_v1_ApplyStateDeltaRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_ApplyStateDeltaResponse__Output>): grpc.ClientUnaryCall;
  ApplyStateDelta(argument: _fairlead_session_v1_ApplyStateDeltaRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_session_v1_ApplyStateDeltaResponse__Output>): grpc.ClientUnaryCall;
  ApplyStateDelta(argument: _fairlead_session_v1_ApplyStateDeltaRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_ApplyStateDeltaResponse__Output>): grpc.ClientUnaryCall;
  ApplyStateDelta(argument: _fairlead_session_v1_ApplyStateDeltaRequest, callback: grpc.requestCallback<_fairlead_session_v1_ApplyStateDeltaResponse__Output>): grpc.ClientUnaryCall;
  applyStateDelta(argument: _fairlead_session_v1_ApplyStateDeltaRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_ApplyStateDeltaResponse__Output>): grpc.ClientUnaryCall;
  applyStateDelta(argument: _fairlead_session_v1_ApplyStateDeltaRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_session_v1_ApplyStateDeltaResponse__Output>): grpc.ClientUnaryCall;
  applyStateDelta(argument: _fairlead_session_v1_ApplyStateDeltaRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_ApplyStateDeltaResponse__Output>): grpc.ClientUnaryCall;
  applyStateDelta(argument: _fairlead_session_v1_ApplyStateDeltaRequest, callback: grpc.requestCallback<_fairlead_session_v1_ApplyStateDeltaResponse__Output>): grpc.ClientUnaryCall;
  
  BeginDeletion(argument: _fairlead_session_v1_BeginDeletionRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_BeginDeletionResponse__Output>): grpc.ClientUnaryCall;
  BeginDeletion(argument: _fairlead_session_v1_BeginDeletionRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_session_v1_BeginDeletionResponse__Output>): grpc.ClientUnaryCall;
  BeginDeletion(argument: _fairlead_session_v1_BeginDeletionRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_BeginDeletionResponse__Output>): grpc.ClientUnaryCall;
  BeginDeletion(argument: _fairlead_session_v1_BeginDeletionRequest, callback: grpc.requestCallback<_fairlead_session_v1_BeginDeletionResponse__Output>): grpc.ClientUnaryCall;
  beginDeletion(argument: _fairlead_session_v1_BeginDeletionRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_BeginDeletionResponse__Output>): grpc.ClientUnaryCall;
  beginDeletion(argument: _fairlead_session_v1_BeginDeletionRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_session_v1_BeginDeletionResponse__Output>): grpc.ClientUnaryCall;
  beginDeletion(argument: _fairlead_session_v1_BeginDeletionRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_BeginDeletionResponse__Output>): grpc.ClientUnaryCall;
  beginDeletion(argument: _fairlead_session_v1_BeginDeletionRequest, callback: grpc.requestCallback<_fairlead_session_v1_BeginDeletionResponse__Output>): grpc.ClientUnaryCall;
  
  CloseSession(argument: _fairlead_session_v1_CloseSessionRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_CloseSessionResponse__Output>): grpc.ClientUnaryCall;
  CloseSession(argument: _fairlead_session_v1_CloseSessionRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_session_v1_CloseSessionResponse__Output>): grpc.ClientUnaryCall;
  CloseSession(argument: _fairlead_session_v1_CloseSessionRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_CloseSessionResponse__Output>): grpc.ClientUnaryCall;
  CloseSession(argument: _fairlead_session_v1_CloseSessionRequest, callback: grpc.requestCallback<_fairlead_session_v1_CloseSessionResponse__Output>): grpc.ClientUnaryCall;
  closeSession(argument: _fairlead_session_v1_CloseSessionRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_CloseSessionResponse__Output>): grpc.ClientUnaryCall;
  closeSession(argument: _fairlead_session_v1_CloseSessionRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_session_v1_CloseSessionResponse__Output>): grpc.ClientUnaryCall;
  closeSession(argument: _fairlead_session_v1_CloseSessionRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_CloseSessionResponse__Output>): grpc.ClientUnaryCall;
  closeSession(argument: _fairlead_session_v1_CloseSessionRequest, callback: grpc.requestCallback<_fairlead_session_v1_CloseSessionResponse__Output>): grpc.ClientUnaryCall;
  
  CreateSession(metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_CreateSessionResponse__Output>): grpc.ClientWritableStream<_fairlead_session_v1_CreateSessionRequest>;
  CreateSession(metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_session_v1_CreateSessionResponse__Output>): grpc.ClientWritableStream<_fairlead_session_v1_CreateSessionRequest>;
  CreateSession(options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_CreateSessionResponse__Output>): grpc.ClientWritableStream<_fairlead_session_v1_CreateSessionRequest>;
  CreateSession(callback: grpc.requestCallback<_fairlead_session_v1_CreateSessionResponse__Output>): grpc.ClientWritableStream<_fairlead_session_v1_CreateSessionRequest>;
  createSession(metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_CreateSessionResponse__Output>): grpc.ClientWritableStream<_fairlead_session_v1_CreateSessionRequest>;
  createSession(metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_session_v1_CreateSessionResponse__Output>): grpc.ClientWritableStream<_fairlead_session_v1_CreateSessionRequest>;
  createSession(options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_CreateSessionResponse__Output>): grpc.ClientWritableStream<_fairlead_session_v1_CreateSessionRequest>;
  createSession(callback: grpc.requestCallback<_fairlead_session_v1_CreateSessionResponse__Output>): grpc.ClientWritableStream<_fairlead_session_v1_CreateSessionRequest>;
  
  DeleteData(argument: _fairlead_session_v1_DeleteDataRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_DeleteDataResponse__Output>): grpc.ClientUnaryCall;
  DeleteData(argument: _fairlead_session_v1_DeleteDataRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_session_v1_DeleteDataResponse__Output>): grpc.ClientUnaryCall;
  DeleteData(argument: _fairlead_session_v1_DeleteDataRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_DeleteDataResponse__Output>): grpc.ClientUnaryCall;
  DeleteData(argument: _fairlead_session_v1_DeleteDataRequest, callback: grpc.requestCallback<_fairlead_session_v1_DeleteDataResponse__Output>): grpc.ClientUnaryCall;
  deleteData(argument: _fairlead_session_v1_DeleteDataRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_DeleteDataResponse__Output>): grpc.ClientUnaryCall;
  deleteData(argument: _fairlead_session_v1_DeleteDataRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_session_v1_DeleteDataResponse__Output>): grpc.ClientUnaryCall;
  deleteData(argument: _fairlead_session_v1_DeleteDataRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_DeleteDataResponse__Output>): grpc.ClientUnaryCall;
  deleteData(argument: _fairlead_session_v1_DeleteDataRequest, callback: grpc.requestCallback<_fairlead_session_v1_DeleteDataResponse__Output>): grpc.ClientUnaryCall;
  
  DeleteOldData(argument: _fairlead_session_v1_DeleteOldDataRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_DeleteOldDataResponse__Output>): grpc.ClientUnaryCall;
  DeleteOldData(argument: _fairlead_session_v1_DeleteOldDataRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_session_v1_DeleteOldDataResponse__Output>): grpc.ClientUnaryCall;
  DeleteOldData(argument: _fairlead_session_v1_DeleteOldDataRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_DeleteOldDataResponse__Output>): grpc.ClientUnaryCall;
  DeleteOldData(argument: _fairlead_session_v1_DeleteOldDataRequest, callback: grpc.requestCallback<_fairlead_session_v1_DeleteOldDataResponse__Output>): grpc.ClientUnaryCall;
  deleteOldData(argument: _fairlead_session_v1_DeleteOldDataRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_DeleteOldDataResponse__Output>): grpc.ClientUnaryCall;
  deleteOldData(argument: _fairlead_session_v1_DeleteOldDataRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_session_v1_DeleteOldDataResponse__Output>): grpc.ClientUnaryCall;
  deleteOldData(argument: _fairlead_session_v1_DeleteOldDataRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_DeleteOldDataResponse__Output>): grpc.ClientUnaryCall;
  deleteOldData(argument: _fairlead_session_v1_DeleteOldDataRequest, callback: grpc.requestCallback<_fairlead_session_v1_DeleteOldDataResponse__Output>): grpc.ClientUnaryCall;
  
  DeleteSession(argument: _fairlead_session_v1_DeleteSessionRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_DeleteSessionResponse__Output>): grpc.ClientUnaryCall;
  DeleteSession(argument: _fairlead_session_v1_DeleteSessionRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_session_v1_DeleteSessionResponse__Output>): grpc.ClientUnaryCall;
  DeleteSession(argument: _fairlead_session_v1_DeleteSessionRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_DeleteSessionResponse__Output>): grpc.ClientUnaryCall;
  DeleteSession(argument: _fairlead_session_v1_DeleteSessionRequest, callback: grpc.requestCallback<_fairlead_session_v1_DeleteSessionResponse__Output>): grpc.ClientUnaryCall;
  deleteSession(argument: _fairlead_session_v1_DeleteSessionRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_DeleteSessionResponse__Output>): grpc.ClientUnaryCall;
  deleteSession(argument: _fairlead_session_v1_DeleteSessionRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_session_v1_DeleteSessionResponse__Output>): grpc.ClientUnaryCall;
  deleteSession(argument: _fairlead_session_v1_DeleteSessionRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_DeleteSessionResponse__Output>): grpc.ClientUnaryCall;
  deleteSession(argument: _fairlead_session_v1_DeleteSessionRequest, callback: grpc.requestCallback<_fairlead_session_v1_DeleteSessionResponse__Output>): grpc.ClientUnaryCall;
  
  EndDeletion(argument: _fairlead_session_v1_EndDeletionRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_EndDeletionResponse__Output>): grpc.ClientUnaryCall;
  EndDeletion(argument: _fairlead_session_v1_EndDeletionRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_session_v1_EndDeletionResponse__Output>): grpc.ClientUnaryCall;
  EndDeletion(argument: _fairlead_session_v1_EndDeletionRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_EndDeletionResponse__Output>): grpc.ClientUnaryCall;
  EndDeletion(argument: _fairlead_session_v1_EndDeletionRequest, callback: grpc.requestCallback<_fairlead_session_v1_EndDeletionResponse__Output>): grpc.ClientUnaryCall;
  endDeletion(argument: _fairlead_session_v1_EndDeletionRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_EndDeletionResponse__Output>): grpc.ClientUnaryCall;
  endDeletion(argument: _fairlead_session_v1_EndDeletionRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_session_v1_EndDeletionResponse__Output>): grpc.ClientUnaryCall;
  endDeletion(argument: _fairlead_session_v1_EndDeletionRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_EndDeletionResponse__Output>): grpc.ClientUnaryCall;
  endDeletion(argument: _fairlead_session_v1_EndDeletionRequest, callback: grpc.requestCallback<_fairlead_session_v1_EndDeletionResponse__Output>): grpc.ClientUnaryCall;
  
  GetSession(argument: _fairlead_session_v1_GetSessionRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_GetSessionResponse__Output>): grpc.ClientUnaryCall;
  GetSession(argument: _fairlead_session_v1_GetSessionRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_session_v1_GetSessionResponse__Output>): grpc.ClientUnaryCall;
  GetSession(argument: _fairlead_session_v1_GetSessionRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_GetSessionResponse__Output>): grpc.ClientUnaryCall;
  GetSession(argument: _fairlead_session_v1_GetSessionRequest, callback: grpc.requestCallback<_fairlead_session_v1_GetSessionResponse__Output>): grpc.ClientUnaryCall;
  getSession(argument: _fairlead_session_v1_GetSessionRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_GetSessionResponse__Output>): grpc.ClientUnaryCall;
  getSession(argument: _fairlead_session_v1_GetSessionRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_session_v1_GetSessionResponse__Output>): grpc.ClientUnaryCall;
  getSession(argument: _fairlead_session_v1_GetSessionRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_GetSessionResponse__Output>): grpc.ClientUnaryCall;
  getSession(argument: _fairlead_session_v1_GetSessionRequest, callback: grpc.requestCallback<_fairlead_session_v1_GetSessionResponse__Output>): grpc.ClientUnaryCall;
  
  GrantEvaluation(argument: _fairlead_session_v1_GrantEvaluationRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_GrantEvaluationResponse__Output>): grpc.ClientUnaryCall;
  GrantEvaluation(argument: _fairlead_session_v1_GrantEvaluationRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_session_v1_GrantEvaluationResponse__Output>): grpc.ClientUnaryCall;
  GrantEvaluation(argument: _fairlead_session_v1_GrantEvaluationRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_GrantEvaluationResponse__Output>): grpc.ClientUnaryCall;
  GrantEvaluation(argument: _fairlead_session_v1_GrantEvaluationRequest, callback: grpc.requestCallback<_fairlead_session_v1_GrantEvaluationResponse__Output>): grpc.ClientUnaryCall;
  grantEvaluation(argument: _fairlead_session_v1_GrantEvaluationRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_GrantEvaluationResponse__Output>): grpc.ClientUnaryCall;
  grantEvaluation(argument: _fairlead_session_v1_GrantEvaluationRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_session_v1_GrantEvaluationResponse__Output>): grpc.ClientUnaryCall;
  grantEvaluation(argument: _fairlead_session_v1_GrantEvaluationRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_GrantEvaluationResponse__Output>): grpc.ClientUnaryCall;
  grantEvaluation(argument: _fairlead_session_v1_GrantEvaluationRequest, callback: grpc.requestCallback<_fairlead_session_v1_GrantEvaluationResponse__Output>): grpc.ClientUnaryCall;
  
  ListData(argument: _fairlead_session_v1_ListDataRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_ListDataResponse__Output>): grpc.ClientUnaryCall;
  ListData(argument: _fairlead_session_v1_ListDataRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_session_v1_ListDataResponse__Output>): grpc.ClientUnaryCall;
  ListData(argument: _fairlead_session_v1_ListDataRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_ListDataResponse__Output>): grpc.ClientUnaryCall;
  ListData(argument: _fairlead_session_v1_ListDataRequest, callback: grpc.requestCallback<_fairlead_session_v1_ListDataResponse__Output>): grpc.ClientUnaryCall;
  listData(argument: _fairlead_session_v1_ListDataRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_ListDataResponse__Output>): grpc.ClientUnaryCall;
  listData(argument: _fairlead_session_v1_ListDataRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_session_v1_ListDataResponse__Output>): grpc.ClientUnaryCall;
  listData(argument: _fairlead_session_v1_ListDataRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_ListDataResponse__Output>): grpc.ClientUnaryCall;
  listData(argument: _fairlead_session_v1_ListDataRequest, callback: grpc.requestCallback<_fairlead_session_v1_ListDataResponse__Output>): grpc.ClientUnaryCall;
  
  ListDeletions(argument: _fairlead_session_v1_ListDeletionsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_ListDeletionsResponse__Output>): grpc.ClientUnaryCall;
  ListDeletions(argument: _fairlead_session_v1_ListDeletionsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_session_v1_ListDeletionsResponse__Output>): grpc.ClientUnaryCall;
  ListDeletions(argument: _fairlead_session_v1_ListDeletionsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_ListDeletionsResponse__Output>): grpc.ClientUnaryCall;
  ListDeletions(argument: _fairlead_session_v1_ListDeletionsRequest, callback: grpc.requestCallback<_fairlead_session_v1_ListDeletionsResponse__Output>): grpc.ClientUnaryCall;
  listDeletions(argument: _fairlead_session_v1_ListDeletionsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_ListDeletionsResponse__Output>): grpc.ClientUnaryCall;
  listDeletions(argument: _fairlead_session_v1_ListDeletionsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_session_v1_ListDeletionsResponse__Output>): grpc.ClientUnaryCall;
  listDeletions(argument: _fairlead_session_v1_ListDeletionsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_ListDeletionsResponse__Output>): grpc.ClientUnaryCall;
  listDeletions(argument: _fairlead_session_v1_ListDeletionsRequest, callback: grpc.requestCallback<_fairlead_session_v1_ListDeletionsResponse__Output>): grpc.ClientUnaryCall;
  
  ListEvents(argument: _fairlead_session_v1_ListEventsRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_session_v1_ListEventsResponse__Output>;
  ListEvents(argument: _fairlead_session_v1_ListEventsRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_session_v1_ListEventsResponse__Output>;
  listEvents(argument: _fairlead_session_v1_ListEventsRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_session_v1_ListEventsResponse__Output>;
  listEvents(argument: _fairlead_session_v1_ListEventsRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_session_v1_ListEventsResponse__Output>;
  
  ListIdleSessions(argument: _fairlead_session_v1_ListIdleSessionsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_ListIdleSessionsResponse__Output>): grpc.ClientUnaryCall;
  ListIdleSessions(argument: _fairlead_session_v1_ListIdleSessionsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_session_v1_ListIdleSessionsResponse__Output>): grpc.ClientUnaryCall;
  ListIdleSessions(argument: _fairlead_session_v1_ListIdleSessionsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_ListIdleSessionsResponse__Output>): grpc.ClientUnaryCall;
  ListIdleSessions(argument: _fairlead_session_v1_ListIdleSessionsRequest, callback: grpc.requestCallback<_fairlead_session_v1_ListIdleSessionsResponse__Output>): grpc.ClientUnaryCall;
  listIdleSessions(argument: _fairlead_session_v1_ListIdleSessionsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_ListIdleSessionsResponse__Output>): grpc.ClientUnaryCall;
  listIdleSessions(argument: _fairlead_session_v1_ListIdleSessionsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_session_v1_ListIdleSessionsResponse__Output>): grpc.ClientUnaryCall;
  listIdleSessions(argument: _fairlead_session_v1_ListIdleSessionsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_ListIdleSessionsResponse__Output>): grpc.ClientUnaryCall;
  listIdleSessions(argument: _fairlead_session_v1_ListIdleSessionsRequest, callback: grpc.requestCallback<_fairlead_session_v1_ListIdleSessionsResponse__Output>): grpc.ClientUnaryCall;
  
  ListOldData(argument: _fairlead_session_v1_ListOldDataRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_ListOldDataResponse__Output>): grpc.ClientUnaryCall;
  ListOldData(argument: _fairlead_session_v1_ListOldDataRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_session_v1_ListOldDataResponse__Output>): grpc.ClientUnaryCall;
  ListOldData(argument: _fairlead_session_v1_ListOldDataRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_ListOldDataResponse__Output>): grpc.ClientUnaryCall;
  ListOldData(argument: _fairlead_session_v1_ListOldDataRequest, callback: grpc.requestCallback<_fairlead_session_v1_ListOldDataResponse__Output>): grpc.ClientUnaryCall;
  listOldData(argument: _fairlead_session_v1_ListOldDataRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_ListOldDataResponse__Output>): grpc.ClientUnaryCall;
  listOldData(argument: _fairlead_session_v1_ListOldDataRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_session_v1_ListOldDataResponse__Output>): grpc.ClientUnaryCall;
  listOldData(argument: _fairlead_session_v1_ListOldDataRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_ListOldDataResponse__Output>): grpc.ClientUnaryCall;
  listOldData(argument: _fairlead_session_v1_ListOldDataRequest, callback: grpc.requestCallback<_fairlead_session_v1_ListOldDataResponse__Output>): grpc.ClientUnaryCall;
  
  ListSessions(argument: _fairlead_session_v1_ListSessionsRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_session_v1_ListSessionsResponse__Output>;
  ListSessions(argument: _fairlead_session_v1_ListSessionsRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_session_v1_ListSessionsResponse__Output>;
  listSessions(argument: _fairlead_session_v1_ListSessionsRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_session_v1_ListSessionsResponse__Output>;
  listSessions(argument: _fairlead_session_v1_ListSessionsRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_session_v1_ListSessionsResponse__Output>;
  
  ReadStorage(argument: _fairlead_session_v1_ReadStorageRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_ReadStorageResponse__Output>): grpc.ClientUnaryCall;
  ReadStorage(argument: _fairlead_session_v1_ReadStorageRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_session_v1_ReadStorageResponse__Output>): grpc.ClientUnaryCall;
  ReadStorage(argument: _fairlead_session_v1_ReadStorageRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_ReadStorageResponse__Output>): grpc.ClientUnaryCall;
  ReadStorage(argument: _fairlead_session_v1_ReadStorageRequest, callback: grpc.requestCallback<_fairlead_session_v1_ReadStorageResponse__Output>): grpc.ClientUnaryCall;
  readStorage(argument: _fairlead_session_v1_ReadStorageRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_ReadStorageResponse__Output>): grpc.ClientUnaryCall;
  readStorage(argument: _fairlead_session_v1_ReadStorageRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_session_v1_ReadStorageResponse__Output>): grpc.ClientUnaryCall;
  readStorage(argument: _fairlead_session_v1_ReadStorageRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_ReadStorageResponse__Output>): grpc.ClientUnaryCall;
  readStorage(argument: _fairlead_session_v1_ReadStorageRequest, callback: grpc.requestCallback<_fairlead_session_v1_ReadStorageResponse__Output>): grpc.ClientUnaryCall;
  
}

export interface SessionServiceHandlers extends grpc.UntypedServiceImplementation {
  AllowEvaluation: grpc.handleUnaryCall<_fairlead_session_v1_AllowEvaluationRequest__Output, _fairlead_session_v1_AllowEvaluationResponse>;
  
  AppendEvent: grpc.handleServerStreamingCall<_fairlead_session_v1_AppendEventRequest__Output, _fairlead_session_v1_AppendEventResponse>;
  
  ApplyStateDelta: grpc.handleUnaryCall<_fairlead_session_v1_ApplyStateDeltaRequest__Output, _fairlead_session_v1_ApplyStateDeltaResponse>;
  
  BeginDeletion: grpc.handleUnaryCall<_fairlead_session_v1_BeginDeletionRequest__Output, _fairlead_session_v1_BeginDeletionResponse>;
  
  CloseSession: grpc.handleUnaryCall<_fairlead_session_v1_CloseSessionRequest__Output, _fairlead_session_v1_CloseSessionResponse>;
  
  CreateSession: grpc.handleClientStreamingCall<_fairlead_session_v1_CreateSessionRequest__Output, _fairlead_session_v1_CreateSessionResponse>;
  
  DeleteData: grpc.handleUnaryCall<_fairlead_session_v1_DeleteDataRequest__Output, _fairlead_session_v1_DeleteDataResponse>;
  
  DeleteOldData: grpc.handleUnaryCall<_fairlead_session_v1_DeleteOldDataRequest__Output, _fairlead_session_v1_DeleteOldDataResponse>;
  
  DeleteSession: grpc.handleUnaryCall<_fairlead_session_v1_DeleteSessionRequest__Output, _fairlead_session_v1_DeleteSessionResponse>;
  
  EndDeletion: grpc.handleUnaryCall<_fairlead_session_v1_EndDeletionRequest__Output, _fairlead_session_v1_EndDeletionResponse>;
  
  GetSession: grpc.handleUnaryCall<_fairlead_session_v1_GetSessionRequest__Output, _fairlead_session_v1_GetSessionResponse>;
  
  GrantEvaluation: grpc.handleUnaryCall<_fairlead_session_v1_GrantEvaluationRequest__Output, _fairlead_session_v1_GrantEvaluationResponse>;
  
  ListData: grpc.handleUnaryCall<_fairlead_session_v1_ListDataRequest__Output, _fairlead_session_v1_ListDataResponse>;
  
  ListDeletions: grpc.handleUnaryCall<_fairlead_session_v1_ListDeletionsRequest__Output, _fairlead_session_v1_ListDeletionsResponse>;
  
  ListEvents: grpc.handleServerStreamingCall<_fairlead_session_v1_ListEventsRequest__Output, _fairlead_session_v1_ListEventsResponse>;
  
  ListIdleSessions: grpc.handleUnaryCall<_fairlead_session_v1_ListIdleSessionsRequest__Output, _fairlead_session_v1_ListIdleSessionsResponse>;
  
  ListOldData: grpc.handleUnaryCall<_fairlead_session_v1_ListOldDataRequest__Output, _fairlead_session_v1_ListOldDataResponse>;
  
  ListSessions: grpc.handleServerStreamingCall<_fairlead_session_v1_ListSessionsRequest__Output, _fairlead_session_v1_ListSessionsResponse>;
  
  ReadStorage: grpc.handleUnaryCall<_fairlead_session_v1_ReadStorageRequest__Output, _fairlead_session_v1_ReadStorageResponse>;
  
}

export interface SessionServiceDefinition extends grpc.ServiceDefinition {
  AllowEvaluation: MethodDefinition<_fairlead_session_v1_AllowEvaluationRequest, _fairlead_session_v1_AllowEvaluationResponse, _fairlead_session_v1_AllowEvaluationRequest__Output, _fairlead_session_v1_AllowEvaluationResponse__Output>
  AppendEvent: MethodDefinition<_fairlead_session_v1_AppendEventRequest, _fairlead_session_v1_AppendEventResponse, _fairlead_session_v1_AppendEventRequest__Output, _fairlead_session_v1_AppendEventResponse__Output>
  ApplyStateDelta: MethodDefinition<_fairlead_session_v1_ApplyStateDeltaRequest, _fairlead_session_v1_ApplyStateDeltaResponse, _fairlead_session_v1_ApplyStateDeltaRequest__Output, _fairlead_session_v1_ApplyStateDeltaResponse__Output>
  BeginDeletion: MethodDefinition<_fairlead_session_v1_BeginDeletionRequest, _fairlead_session_v1_BeginDeletionResponse, _fairlead_session_v1_BeginDeletionRequest__Output, _fairlead_session_v1_BeginDeletionResponse__Output>
  CloseSession: MethodDefinition<_fairlead_session_v1_CloseSessionRequest, _fairlead_session_v1_CloseSessionResponse, _fairlead_session_v1_CloseSessionRequest__Output, _fairlead_session_v1_CloseSessionResponse__Output>
  CreateSession: MethodDefinition<_fairlead_session_v1_CreateSessionRequest, _fairlead_session_v1_CreateSessionResponse, _fairlead_session_v1_CreateSessionRequest__Output, _fairlead_session_v1_CreateSessionResponse__Output>
  DeleteData: MethodDefinition<_fairlead_session_v1_DeleteDataRequest, _fairlead_session_v1_DeleteDataResponse, _fairlead_session_v1_DeleteDataRequest__Output, _fairlead_session_v1_DeleteDataResponse__Output>
  DeleteOldData: MethodDefinition<_fairlead_session_v1_DeleteOldDataRequest, _fairlead_session_v1_DeleteOldDataResponse, _fairlead_session_v1_DeleteOldDataRequest__Output, _fairlead_session_v1_DeleteOldDataResponse__Output>
  DeleteSession: MethodDefinition<_fairlead_session_v1_DeleteSessionRequest, _fairlead_session_v1_DeleteSessionResponse, _fairlead_session_v1_DeleteSessionRequest__Output, _fairlead_session_v1_DeleteSessionResponse__Output>
  EndDeletion: MethodDefinition<_fairlead_session_v1_EndDeletionRequest, _fairlead_session_v1_EndDeletionResponse, _fairlead_session_v1_EndDeletionRequest__Output, _fairlead_session_v1_EndDeletionResponse__Output>
  GetSession: MethodDefinition<_fairlead_session_v1_GetSessionRequest, _fairlead_session_v1_GetSessionResponse, _fairlead_session_v1_GetSessionRequest__Output, _fairlead_session_v1_GetSessionResponse__Output>
  GrantEvaluation: MethodDefinition<_fairlead_session_v1_GrantEvaluationRequest, _fairlead_session_v1_GrantEvaluationResponse, _fairlead_session_v1_GrantEvaluationRequest__Output, _fairlead_session_v1_GrantEvaluationResponse__Output>
  ListData: MethodDefinition<_fairlead_session_v1_ListDataRequest, _fairlead_session_v1_ListDataResponse, _fairlead_session_v1_ListDataRequest__Output, _fairlead_session_v1_ListDataResponse__Output>
  ListDeletions: MethodDefinition<_fairlead_session_v1_ListDeletionsRequest, _fairlead_session_v1_ListDeletionsResponse, _fairlead_session_v1_ListDeletionsRequest__Output, _fairlead_session_v1_ListDeletionsResponse__Output>
  ListEvents: MethodDefinition<_fairlead_session_v1_ListEventsRequest, _fairlead_session_v1_ListEventsResponse, _fairlead_session_v1_ListEventsRequest__Output, _fairlead_session_v1_ListEventsResponse__Output>
  ListIdleSessions: MethodDefinition<_fairlead_session_v1_ListIdleSessionsRequest, _fairlead_session_v1_ListIdleSessionsResponse, _fairlead_session_v1_ListIdleSessionsRequest__Output, _fairlead_session_v1_ListIdleSessionsResponse__Output>
  ListOldData: MethodDefinition<_fairlead_session_v1_ListOldDataRequest, _fairlead_session_v1_ListOldDataResponse, _fairlead_session_v1_ListOldDataRequest__Output, _fairlead_session_v1_ListOldDataResponse__Output>
  ListSessions: MethodDefinition<_fairlead_session_v1_ListSessionsRequest, _fairlead_session_v1_ListSessionsResponse, _fairlead_session_v1_ListSessionsRequest__Output, _fairlead_session_v1_ListSessionsResponse__Output>
  ReadStorage: MethodDefinition<_fairlead_session_v1_ReadStorageRequest, _fairlead_session_v1_ReadStorageResponse, _fairlead_session_v1_ReadStorageRequest__Output, _fairlead_session_v1_ReadStorageResponse__Output>
}
