// Original file: fairlead/session/v1/run_journal_service.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { AppendEventsRequest as _fairlead_session_v1_AppendEventsRequest, AppendEventsRequest__Output as _fairlead_session_v1_AppendEventsRequest__Output } from '../../../fairlead/session/v1/AppendEventsRequest.ts';
import type { AppendEventsResponse as _fairlead_session_v1_AppendEventsResponse, AppendEventsResponse__Output as _fairlead_session_v1_AppendEventsResponse__Output } from '../../../fairlead/session/v1/AppendEventsResponse.ts';
import type { BatchGetHeadsRequest as _fairlead_session_v1_BatchGetHeadsRequest, BatchGetHeadsRequest__Output as _fairlead_session_v1_BatchGetHeadsRequest__Output } from '../../../fairlead/session/v1/BatchGetHeadsRequest.ts';
import type { BatchGetHeadsResponse as _fairlead_session_v1_BatchGetHeadsResponse, BatchGetHeadsResponse__Output as _fairlead_session_v1_BatchGetHeadsResponse__Output } from '../../../fairlead/session/v1/BatchGetHeadsResponse.ts';
import type { BeginRunRequest as _fairlead_session_v1_BeginRunRequest, BeginRunRequest__Output as _fairlead_session_v1_BeginRunRequest__Output } from '../../../fairlead/session/v1/BeginRunRequest.ts';
import type { BeginRunResponse as _fairlead_session_v1_BeginRunResponse, BeginRunResponse__Output as _fairlead_session_v1_BeginRunResponse__Output } from '../../../fairlead/session/v1/BeginRunResponse.ts';
import type { FinishRunRequest as _fairlead_session_v1_FinishRunRequest, FinishRunRequest__Output as _fairlead_session_v1_FinishRunRequest__Output } from '../../../fairlead/session/v1/FinishRunRequest.ts';
import type { FinishRunResponse as _fairlead_session_v1_FinishRunResponse, FinishRunResponse__Output as _fairlead_session_v1_FinishRunResponse__Output } from '../../../fairlead/session/v1/FinishRunResponse.ts';
import type { GetRunRequest as _fairlead_session_v1_GetRunRequest, GetRunRequest__Output as _fairlead_session_v1_GetRunRequest__Output } from '../../../fairlead/session/v1/GetRunRequest.ts';
import type { GetRunResponse as _fairlead_session_v1_GetRunResponse, GetRunResponse__Output as _fairlead_session_v1_GetRunResponse__Output } from '../../../fairlead/session/v1/GetRunResponse.ts';
import type { JournalPipeRequest as _fairlead_session_v1_JournalPipeRequest, JournalPipeRequest__Output as _fairlead_session_v1_JournalPipeRequest__Output } from '../../../fairlead/session/v1/JournalPipeRequest.ts';
import type { JournalPipeResponse as _fairlead_session_v1_JournalPipeResponse, JournalPipeResponse__Output as _fairlead_session_v1_JournalPipeResponse__Output } from '../../../fairlead/session/v1/JournalPipeResponse.ts';
import type { ListAbandonedRunsRequest as _fairlead_session_v1_ListAbandonedRunsRequest, ListAbandonedRunsRequest__Output as _fairlead_session_v1_ListAbandonedRunsRequest__Output } from '../../../fairlead/session/v1/ListAbandonedRunsRequest.ts';
import type { ListAbandonedRunsResponse as _fairlead_session_v1_ListAbandonedRunsResponse, ListAbandonedRunsResponse__Output as _fairlead_session_v1_ListAbandonedRunsResponse__Output } from '../../../fairlead/session/v1/ListAbandonedRunsResponse.ts';
import type { ListRunsRequest as _fairlead_session_v1_ListRunsRequest, ListRunsRequest__Output as _fairlead_session_v1_ListRunsRequest__Output } from '../../../fairlead/session/v1/ListRunsRequest.ts';
import type { ListRunsResponse as _fairlead_session_v1_ListRunsResponse, ListRunsResponse__Output as _fairlead_session_v1_ListRunsResponse__Output } from '../../../fairlead/session/v1/ListRunsResponse.ts';
import type { ReleaseRunRequest as _fairlead_session_v1_ReleaseRunRequest, ReleaseRunRequest__Output as _fairlead_session_v1_ReleaseRunRequest__Output } from '../../../fairlead/session/v1/ReleaseRunRequest.ts';
import type { ReleaseRunResponse as _fairlead_session_v1_ReleaseRunResponse, ReleaseRunResponse__Output as _fairlead_session_v1_ReleaseRunResponse__Output } from '../../../fairlead/session/v1/ReleaseRunResponse.ts';
import type { RenewLeaseRequest as _fairlead_session_v1_RenewLeaseRequest, RenewLeaseRequest__Output as _fairlead_session_v1_RenewLeaseRequest__Output } from '../../../fairlead/session/v1/RenewLeaseRequest.ts';
import type { RenewLeaseResponse as _fairlead_session_v1_RenewLeaseResponse, RenewLeaseResponse__Output as _fairlead_session_v1_RenewLeaseResponse__Output } from '../../../fairlead/session/v1/RenewLeaseResponse.ts';
import type { RequestCancelRequest as _fairlead_session_v1_RequestCancelRequest, RequestCancelRequest__Output as _fairlead_session_v1_RequestCancelRequest__Output } from '../../../fairlead/session/v1/RequestCancelRequest.ts';
import type { RequestCancelResponse as _fairlead_session_v1_RequestCancelResponse, RequestCancelResponse__Output as _fairlead_session_v1_RequestCancelResponse__Output } from '../../../fairlead/session/v1/RequestCancelResponse.ts';
import type { SignGrantRequest as _fairlead_session_v1_SignGrantRequest, SignGrantRequest__Output as _fairlead_session_v1_SignGrantRequest__Output } from '../../../fairlead/session/v1/SignGrantRequest.ts';
import type { SignGrantResponse as _fairlead_session_v1_SignGrantResponse, SignGrantResponse__Output as _fairlead_session_v1_SignGrantResponse__Output } from '../../../fairlead/session/v1/SignGrantResponse.ts';

export interface RunJournalServiceClient extends grpc.Client {
  AppendEvents(argument: _fairlead_session_v1_AppendEventsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_AppendEventsResponse__Output>): grpc.ClientUnaryCall;
  AppendEvents(argument: _fairlead_session_v1_AppendEventsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_session_v1_AppendEventsResponse__Output>): grpc.ClientUnaryCall;
  AppendEvents(argument: _fairlead_session_v1_AppendEventsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_AppendEventsResponse__Output>): grpc.ClientUnaryCall;
  AppendEvents(argument: _fairlead_session_v1_AppendEventsRequest, callback: grpc.requestCallback<_fairlead_session_v1_AppendEventsResponse__Output>): grpc.ClientUnaryCall;
  appendEvents(argument: _fairlead_session_v1_AppendEventsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_AppendEventsResponse__Output>): grpc.ClientUnaryCall;
  appendEvents(argument: _fairlead_session_v1_AppendEventsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_session_v1_AppendEventsResponse__Output>): grpc.ClientUnaryCall;
  appendEvents(argument: _fairlead_session_v1_AppendEventsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_AppendEventsResponse__Output>): grpc.ClientUnaryCall;
  appendEvents(argument: _fairlead_session_v1_AppendEventsRequest, callback: grpc.requestCallback<_fairlead_session_v1_AppendEventsResponse__Output>): grpc.ClientUnaryCall;
  
  BatchGetHeads(argument: _fairlead_session_v1_BatchGetHeadsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_BatchGetHeadsResponse__Output>): grpc.ClientUnaryCall;
  BatchGetHeads(argument: _fairlead_session_v1_BatchGetHeadsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_session_v1_BatchGetHeadsResponse__Output>): grpc.ClientUnaryCall;
  BatchGetHeads(argument: _fairlead_session_v1_BatchGetHeadsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_BatchGetHeadsResponse__Output>): grpc.ClientUnaryCall;
  BatchGetHeads(argument: _fairlead_session_v1_BatchGetHeadsRequest, callback: grpc.requestCallback<_fairlead_session_v1_BatchGetHeadsResponse__Output>): grpc.ClientUnaryCall;
  batchGetHeads(argument: _fairlead_session_v1_BatchGetHeadsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_BatchGetHeadsResponse__Output>): grpc.ClientUnaryCall;
  batchGetHeads(argument: _fairlead_session_v1_BatchGetHeadsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_session_v1_BatchGetHeadsResponse__Output>): grpc.ClientUnaryCall;
  batchGetHeads(argument: _fairlead_session_v1_BatchGetHeadsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_BatchGetHeadsResponse__Output>): grpc.ClientUnaryCall;
  batchGetHeads(argument: _fairlead_session_v1_BatchGetHeadsRequest, callback: grpc.requestCallback<_fairlead_session_v1_BatchGetHeadsResponse__Output>): grpc.ClientUnaryCall;
  
  BeginRun(argument: _fairlead_session_v1_BeginRunRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_session_v1_BeginRunResponse__Output>;
  BeginRun(argument: _fairlead_session_v1_BeginRunRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_session_v1_BeginRunResponse__Output>;
  beginRun(argument: _fairlead_session_v1_BeginRunRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_session_v1_BeginRunResponse__Output>;
  beginRun(argument: _fairlead_session_v1_BeginRunRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_session_v1_BeginRunResponse__Output>;
  
  FinishRun(argument: _fairlead_session_v1_FinishRunRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_FinishRunResponse__Output>): grpc.ClientUnaryCall;
  FinishRun(argument: _fairlead_session_v1_FinishRunRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_session_v1_FinishRunResponse__Output>): grpc.ClientUnaryCall;
  FinishRun(argument: _fairlead_session_v1_FinishRunRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_FinishRunResponse__Output>): grpc.ClientUnaryCall;
  FinishRun(argument: _fairlead_session_v1_FinishRunRequest, callback: grpc.requestCallback<_fairlead_session_v1_FinishRunResponse__Output>): grpc.ClientUnaryCall;
  finishRun(argument: _fairlead_session_v1_FinishRunRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_FinishRunResponse__Output>): grpc.ClientUnaryCall;
  finishRun(argument: _fairlead_session_v1_FinishRunRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_session_v1_FinishRunResponse__Output>): grpc.ClientUnaryCall;
  finishRun(argument: _fairlead_session_v1_FinishRunRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_FinishRunResponse__Output>): grpc.ClientUnaryCall;
  finishRun(argument: _fairlead_session_v1_FinishRunRequest, callback: grpc.requestCallback<_fairlead_session_v1_FinishRunResponse__Output>): grpc.ClientUnaryCall;
  
  GetRun(argument: _fairlead_session_v1_GetRunRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_GetRunResponse__Output>): grpc.ClientUnaryCall;
  GetRun(argument: _fairlead_session_v1_GetRunRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_session_v1_GetRunResponse__Output>): grpc.ClientUnaryCall;
  GetRun(argument: _fairlead_session_v1_GetRunRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_GetRunResponse__Output>): grpc.ClientUnaryCall;
  GetRun(argument: _fairlead_session_v1_GetRunRequest, callback: grpc.requestCallback<_fairlead_session_v1_GetRunResponse__Output>): grpc.ClientUnaryCall;
  getRun(argument: _fairlead_session_v1_GetRunRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_GetRunResponse__Output>): grpc.ClientUnaryCall;
  getRun(argument: _fairlead_session_v1_GetRunRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_session_v1_GetRunResponse__Output>): grpc.ClientUnaryCall;
  getRun(argument: _fairlead_session_v1_GetRunRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_GetRunResponse__Output>): grpc.ClientUnaryCall;
  getRun(argument: _fairlead_session_v1_GetRunRequest, callback: grpc.requestCallback<_fairlead_session_v1_GetRunResponse__Output>): grpc.ClientUnaryCall;
  
  JournalPipe(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_fairlead_session_v1_JournalPipeRequest, _fairlead_session_v1_JournalPipeResponse__Output>;
  JournalPipe(options?: grpc.CallOptions): grpc.ClientDuplexStream<_fairlead_session_v1_JournalPipeRequest, _fairlead_session_v1_JournalPipeResponse__Output>;
  journalPipe(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_fairlead_session_v1_JournalPipeRequest, _fairlead_session_v1_JournalPipeResponse__Output>;
  journalPipe(options?: grpc.CallOptions): grpc.ClientDuplexStream<_fairlead_session_v1_JournalPipeRequest, _fairlead_session_v1_JournalPipeResponse__Output>;
  
  ListAbandonedRuns(argument: _fairlead_session_v1_ListAbandonedRunsRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_session_v1_ListAbandonedRunsResponse__Output>;
  ListAbandonedRuns(argument: _fairlead_session_v1_ListAbandonedRunsRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_session_v1_ListAbandonedRunsResponse__Output>;
  listAbandonedRuns(argument: _fairlead_session_v1_ListAbandonedRunsRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_session_v1_ListAbandonedRunsResponse__Output>;
  listAbandonedRuns(argument: _fairlead_session_v1_ListAbandonedRunsRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_session_v1_ListAbandonedRunsResponse__Output>;
  
  ListRuns(argument: _fairlead_session_v1_ListRunsRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_session_v1_ListRunsResponse__Output>;
  ListRuns(argument: _fairlead_session_v1_ListRunsRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_session_v1_ListRunsResponse__Output>;
  listRuns(argument: _fairlead_session_v1_ListRunsRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_session_v1_ListRunsResponse__Output>;
  listRuns(argument: _fairlead_session_v1_ListRunsRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_session_v1_ListRunsResponse__Output>;
  
  ReleaseRun(argument: _fairlead_session_v1_ReleaseRunRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_ReleaseRunResponse__Output>): grpc.ClientUnaryCall;
  ReleaseRun(argument: _fairlead_session_v1_ReleaseRunRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_session_v1_ReleaseRunResponse__Output>): grpc.ClientUnaryCall;
  ReleaseRun(argument: _fairlead_session_v1_ReleaseRunRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_ReleaseRunResponse__Output>): grpc.ClientUnaryCall;
  ReleaseRun(argument: _fairlead_session_v1_ReleaseRunRequest, callback: grpc.requestCallback<_fairlead_session_v1_ReleaseRunResponse__Output>): grpc.ClientUnaryCall;
  releaseRun(argument: _fairlead_session_v1_ReleaseRunRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_ReleaseRunResponse__Output>): grpc.ClientUnaryCall;
  releaseRun(argument: _fairlead_session_v1_ReleaseRunRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_session_v1_ReleaseRunResponse__Output>): grpc.ClientUnaryCall;
  releaseRun(argument: _fairlead_session_v1_ReleaseRunRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_ReleaseRunResponse__Output>): grpc.ClientUnaryCall;
  releaseRun(argument: _fairlead_session_v1_ReleaseRunRequest, callback: grpc.requestCallback<_fairlead_session_v1_ReleaseRunResponse__Output>): grpc.ClientUnaryCall;
  
  RenewLease(argument: _fairlead_session_v1_RenewLeaseRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_RenewLeaseResponse__Output>): grpc.ClientUnaryCall;
  RenewLease(argument: _fairlead_session_v1_RenewLeaseRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_session_v1_RenewLeaseResponse__Output>): grpc.ClientUnaryCall;
  RenewLease(argument: _fairlead_session_v1_RenewLeaseRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_RenewLeaseResponse__Output>): grpc.ClientUnaryCall;
  RenewLease(argument: _fairlead_session_v1_RenewLeaseRequest, callback: grpc.requestCallback<_fairlead_session_v1_RenewLeaseResponse__Output>): grpc.ClientUnaryCall;
  renewLease(argument: _fairlead_session_v1_RenewLeaseRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_RenewLeaseResponse__Output>): grpc.ClientUnaryCall;
  renewLease(argument: _fairlead_session_v1_RenewLeaseRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_session_v1_RenewLeaseResponse__Output>): grpc.ClientUnaryCall;
  renewLease(argument: _fairlead_session_v1_RenewLeaseRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_RenewLeaseResponse__Output>): grpc.ClientUnaryCall;
  renewLease(argument: _fairlead_session_v1_RenewLeaseRequest, callback: grpc.requestCallback<_fairlead_session_v1_RenewLeaseResponse__Output>): grpc.ClientUnaryCall;
  
  RequestCancel(argument: _fairlead_session_v1_RequestCancelRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_RequestCancelResponse__Output>): grpc.ClientUnaryCall;
  RequestCancel(argument: _fairlead_session_v1_RequestCancelRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_session_v1_RequestCancelResponse__Output>): grpc.ClientUnaryCall;
  RequestCancel(argument: _fairlead_session_v1_RequestCancelRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_RequestCancelResponse__Output>): grpc.ClientUnaryCall;
  RequestCancel(argument: _fairlead_session_v1_RequestCancelRequest, callback: grpc.requestCallback<_fairlead_session_v1_RequestCancelResponse__Output>): grpc.ClientUnaryCall;
  requestCancel(argument: _fairlead_session_v1_RequestCancelRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_RequestCancelResponse__Output>): grpc.ClientUnaryCall;
  requestCancel(argument: _fairlead_session_v1_RequestCancelRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_session_v1_RequestCancelResponse__Output>): grpc.ClientUnaryCall;
  requestCancel(argument: _fairlead_session_v1_RequestCancelRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_RequestCancelResponse__Output>): grpc.ClientUnaryCall;
  requestCancel(argument: _fairlead_session_v1_RequestCancelRequest, callback: grpc.requestCallback<_fairlead_session_v1_RequestCancelResponse__Output>): grpc.ClientUnaryCall;
  
  SignGrant(argument: _fairlead_session_v1_SignGrantRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_SignGrantResponse__Output>): grpc.ClientUnaryCall;
  SignGrant(argument: _fairlead_session_v1_SignGrantRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_session_v1_SignGrantResponse__Output>): grpc.ClientUnaryCall;
  SignGrant(argument: _fairlead_session_v1_SignGrantRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_SignGrantResponse__Output>): grpc.ClientUnaryCall;
  SignGrant(argument: _fairlead_session_v1_SignGrantRequest, callback: grpc.requestCallback<_fairlead_session_v1_SignGrantResponse__Output>): grpc.ClientUnaryCall;
  signGrant(argument: _fairlead_session_v1_SignGrantRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_SignGrantResponse__Output>): grpc.ClientUnaryCall;
  signGrant(argument: _fairlead_session_v1_SignGrantRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_session_v1_SignGrantResponse__Output>): grpc.ClientUnaryCall;
  signGrant(argument: _fairlead_session_v1_SignGrantRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_session_v1_SignGrantResponse__Output>): grpc.ClientUnaryCall;
  signGrant(argument: _fairlead_session_v1_SignGrantRequest, callback: grpc.requestCallback<_fairlead_session_v1_SignGrantResponse__Output>): grpc.ClientUnaryCall;
  
}

export interface RunJournalServiceHandlers extends grpc.UntypedServiceImplementation {
  AppendEvents: grpc.handleUnaryCall<_fairlead_session_v1_AppendEventsRequest__Output, _fairlead_session_v1_AppendEventsResponse>;
  
  BatchGetHeads: grpc.handleUnaryCall<_fairlead_session_v1_BatchGetHeadsRequest__Output, _fairlead_session_v1_BatchGetHeadsResponse>;
  
  BeginRun: grpc.handleServerStreamingCall<_fairlead_session_v1_BeginRunRequest__Output, _fairlead_session_v1_BeginRunResponse>;
  
  FinishRun: grpc.handleUnaryCall<_fairlead_session_v1_FinishRunRequest__Output, _fairlead_session_v1_FinishRunResponse>;
  
  GetRun: grpc.handleUnaryCall<_fairlead_session_v1_GetRunRequest__Output, _fairlead_session_v1_GetRunResponse>;
  
  JournalPipe: grpc.handleBidiStreamingCall<_fairlead_session_v1_JournalPipeRequest__Output, _fairlead_session_v1_JournalPipeResponse>;
  
  ListAbandonedRuns: grpc.handleServerStreamingCall<_fairlead_session_v1_ListAbandonedRunsRequest__Output, _fairlead_session_v1_ListAbandonedRunsResponse>;
  
  ListRuns: grpc.handleServerStreamingCall<_fairlead_session_v1_ListRunsRequest__Output, _fairlead_session_v1_ListRunsResponse>;
  
  ReleaseRun: grpc.handleUnaryCall<_fairlead_session_v1_ReleaseRunRequest__Output, _fairlead_session_v1_ReleaseRunResponse>;
  
  RenewLease: grpc.handleUnaryCall<_fairlead_session_v1_RenewLeaseRequest__Output, _fairlead_session_v1_RenewLeaseResponse>;
  
  RequestCancel: grpc.handleUnaryCall<_fairlead_session_v1_RequestCancelRequest__Output, _fairlead_session_v1_RequestCancelResponse>;
  
  SignGrant: grpc.handleUnaryCall<_fairlead_session_v1_SignGrantRequest__Output, _fairlead_session_v1_SignGrantResponse>;
  
}

export interface RunJournalServiceDefinition extends grpc.ServiceDefinition {
  AppendEvents: MethodDefinition<_fairlead_session_v1_AppendEventsRequest, _fairlead_session_v1_AppendEventsResponse, _fairlead_session_v1_AppendEventsRequest__Output, _fairlead_session_v1_AppendEventsResponse__Output>
  BatchGetHeads: MethodDefinition<_fairlead_session_v1_BatchGetHeadsRequest, _fairlead_session_v1_BatchGetHeadsResponse, _fairlead_session_v1_BatchGetHeadsRequest__Output, _fairlead_session_v1_BatchGetHeadsResponse__Output>
  BeginRun: MethodDefinition<_fairlead_session_v1_BeginRunRequest, _fairlead_session_v1_BeginRunResponse, _fairlead_session_v1_BeginRunRequest__Output, _fairlead_session_v1_BeginRunResponse__Output>
  FinishRun: MethodDefinition<_fairlead_session_v1_FinishRunRequest, _fairlead_session_v1_FinishRunResponse, _fairlead_session_v1_FinishRunRequest__Output, _fairlead_session_v1_FinishRunResponse__Output>
  GetRun: MethodDefinition<_fairlead_session_v1_GetRunRequest, _fairlead_session_v1_GetRunResponse, _fairlead_session_v1_GetRunRequest__Output, _fairlead_session_v1_GetRunResponse__Output>
  JournalPipe: MethodDefinition<_fairlead_session_v1_JournalPipeRequest, _fairlead_session_v1_JournalPipeResponse, _fairlead_session_v1_JournalPipeRequest__Output, _fairlead_session_v1_JournalPipeResponse__Output>
  ListAbandonedRuns: MethodDefinition<_fairlead_session_v1_ListAbandonedRunsRequest, _fairlead_session_v1_ListAbandonedRunsResponse, _fairlead_session_v1_ListAbandonedRunsRequest__Output, _fairlead_session_v1_ListAbandonedRunsResponse__Output>
  ListRuns: MethodDefinition<_fairlead_session_v1_ListRunsRequest, _fairlead_session_v1_ListRunsResponse, _fairlead_session_v1_ListRunsRequest__Output, _fairlead_session_v1_ListRunsResponse__Output>
  ReleaseRun: MethodDefinition<_fairlead_session_v1_ReleaseRunRequest, _fairlead_session_v1_ReleaseRunResponse, _fairlead_session_v1_ReleaseRunRequest__Output, _fairlead_session_v1_ReleaseRunResponse__Output>
  RenewLease: MethodDefinition<_fairlead_session_v1_RenewLeaseRequest, _fairlead_session_v1_RenewLeaseResponse, _fairlead_session_v1_RenewLeaseRequest__Output, _fairlead_session_v1_RenewLeaseResponse__Output>
  RequestCancel: MethodDefinition<_fairlead_session_v1_RequestCancelRequest, _fairlead_session_v1_RequestCancelResponse, _fairlead_session_v1_RequestCancelRequest__Output, _fairlead_session_v1_RequestCancelResponse__Output>
  SignGrant: MethodDefinition<_fairlead_session_v1_SignGrantRequest, _fairlead_session_v1_SignGrantResponse, _fairlead_session_v1_SignGrantRequest__Output, _fairlead_session_v1_SignGrantResponse__Output>
}
