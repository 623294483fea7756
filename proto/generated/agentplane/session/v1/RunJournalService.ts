// Original file: agentplane/session/v1/run_journal_service.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { AppendEventsRequest as _agentplane_session_v1_AppendEventsRequest, AppendEventsRequest__Output as _agentplane_session_v1_AppendEventsRequest__Output } from '../../../agentplane/session/v1/AppendEventsRequest.ts';
import type { AppendEventsResponse as _agentplane_session_v1_AppendEventsResponse, AppendEventsResponse__Output as _agentplane_session_v1_AppendEventsResponse__Output } from '../../../agentplane/session/v1/AppendEventsResponse.ts';
import type { BatchGetHeadsRequest as _agentplane_session_v1_BatchGetHeadsRequest, BatchGetHeadsRequest__Output as _agentplane_session_v1_BatchGetHeadsRequest__Output } from '../../../agentplane/session/v1/BatchGetHeadsRequest.ts';
import type { BatchGetHeadsResponse as _agentplane_session_v1_BatchGetHeadsResponse, BatchGetHeadsResponse__Output as _agentplane_session_v1_BatchGetHeadsResponse__Output } from '../../../agentplane/session/v1/BatchGetHeadsResponse.ts';
import type { BeginRunRequest as _agentplane_session_v1_BeginRunRequest, BeginRunRequest__Output as _agentplane_session_v1_BeginRunRequest__Output } from '../../../agentplane/session/v1/BeginRunRequest.ts';
import type { BeginRunResponse as _agentplane_session_v1_BeginRunResponse, BeginRunResponse__Output as _agentplane_session_v1_BeginRunResponse__Output } from '../../../agentplane/session/v1/BeginRunResponse.ts';
import type { FinishRunRequest as _agentplane_session_v1_FinishRunRequest, FinishRunRequest__Output as _agentplane_session_v1_FinishRunRequest__Output } from '../../../agentplane/session/v1/FinishRunRequest.ts';
import type { FinishRunResponse as _agentplane_session_v1_FinishRunResponse, FinishRunResponse__Output as _agentplane_session_v1_FinishRunResponse__Output } from '../../../agentplane/session/v1/FinishRunResponse.ts';
import type { GetRunRequest as _agentplane_session_v1_GetRunRequest, GetRunRequest__Output as _agentplane_session_v1_GetRunRequest__Output } from '../../../agentplane/session/v1/GetRunRequest.ts';
import type { GetRunResponse as _agentplane_session_v1_GetRunResponse, GetRunResponse__Output as _agentplane_session_v1_GetRunResponse__Output } from '../../../agentplane/session/v1/GetRunResponse.ts';
import type { JournalPipeRequest as _agentplane_session_v1_JournalPipeRequest, JournalPipeRequest__Output as _agentplane_session_v1_JournalPipeRequest__Output } from '../../../agentplane/session/v1/JournalPipeRequest.ts';
import type { JournalPipeResponse as _agentplane_session_v1_JournalPipeResponse, JournalPipeResponse__Output as _agentplane_session_v1_JournalPipeResponse__Output } from '../../../agentplane/session/v1/JournalPipeResponse.ts';
import type { ListAbandonedRunsRequest as _agentplane_session_v1_ListAbandonedRunsRequest, ListAbandonedRunsRequest__Output as _agentplane_session_v1_ListAbandonedRunsRequest__Output } from '../../../agentplane/session/v1/ListAbandonedRunsRequest.ts';
import type { ListAbandonedRunsResponse as _agentplane_session_v1_ListAbandonedRunsResponse, ListAbandonedRunsResponse__Output as _agentplane_session_v1_ListAbandonedRunsResponse__Output } from '../../../agentplane/session/v1/ListAbandonedRunsResponse.ts';
import type { ListRunsRequest as _agentplane_session_v1_ListRunsRequest, ListRunsRequest__Output as _agentplane_session_v1_ListRunsRequest__Output } from '../../../agentplane/session/v1/ListRunsRequest.ts';
import type { ListRunsResponse as _agentplane_session_v1_ListRunsResponse, ListRunsResponse__Output as _agentplane_session_v1_ListRunsResponse__Output } from '../../../agentplane/session/v1/ListRunsResponse.ts';
import type { ReleaseRunRequest as _agentplane_session_v1_ReleaseRunRequest, ReleaseRunRequest__Output as _agentplane_session_v1_ReleaseRunRequest__Output } from '../../../agentplane/session/v1/ReleaseRunRequest.ts';
import type { ReleaseRunResponse as _agentplane_session_v1_ReleaseRunResponse, ReleaseRunResponse__Output as _agentplane_session_v1_ReleaseRunResponse__Output } from '../../../agentplane/session/v1/ReleaseRunResponse.ts';
import type { RenewLeaseRequest as _agentplane_session_v1_RenewLeaseRequest, RenewLeaseRequest__Output as _agentplane_session_v1_RenewLeaseRequest__Output } from '../../../agentplane/session/v1/RenewLeaseRequest.ts';
import type { RenewLeaseResponse as _agentplane_session_v1_RenewLeaseResponse, RenewLeaseResponse__Output as _agentplane_session_v1_RenewLeaseResponse__Output } from '../../../agentplane/session/v1/RenewLeaseResponse.ts';
import type { RequestCancelRequest as _agentplane_session_v1_RequestCancelRequest, RequestCancelRequest__Output as _agentplane_session_v1_RequestCancelRequest__Output } from '../../../agentplane/session/v1/RequestCancelRequest.ts';
import type { RequestCancelResponse as _agentplane_session_v1_RequestCancelResponse, RequestCancelResponse__Output as _agentplane_session_v1_RequestCancelResponse__Output } from '../../../agentplane/session/v1/RequestCancelResponse.ts';

export interface RunJournalServiceClient extends grpc.Client {
  AppendEvents(argument: _agentplane_session_v1_AppendEventsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_session_v1_AppendEventsResponse__Output>): grpc.ClientUnaryCall;
  AppendEvents(argument: _agentplane_session_v1_AppendEventsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_agentplane_session_v1_AppendEventsResponse__Output>): grpc.ClientUnaryCall;
  AppendEvents(argument: _agentplane_session_v1_AppendEventsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_session_v1_AppendEventsResponse__Output>): grpc.ClientUnaryCall;
  AppendEvents(argument: _agentplane_session_v1_AppendEventsRequest, callback: grpc.requestCallback<_agentplane_session_v1_AppendEventsResponse__Output>): grpc.ClientUnaryCall;
  appendEvents(argument: _agentplane_session_v1_AppendEventsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_session_v1_AppendEventsResponse__Output>): grpc.ClientUnaryCall;
  appendEvents(argument: _agentplane_session_v1_AppendEventsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_agentplane_session_v1_AppendEventsResponse__Output>): grpc.ClientUnaryCall;
  appendEvents(argument: _agentplane_session_v1_AppendEventsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_session_v1_AppendEventsResponse__Output>): grpc.ClientUnaryCall;
  appendEvents(argument: _agentplane_session_v1_AppendEventsRequest, callback: grpc.requestCallback<_agentplane_session_v1_AppendEventsResponse__Output>): grpc.ClientUnaryCall;
  
  BatchGetHeads(argument: _agentplane_session_v1_BatchGetHeadsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_session_v1_BatchGetHeadsResponse__Output>): grpc.ClientUnaryCall;
  BatchGetHeads(argument: _agentplane_session_v1_BatchGetHeadsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_agentplane_session_v1_BatchGetHeadsResponse__Output>): grpc.ClientUnaryCall;
  BatchGetHeads(argument: _agentplane_session_v1_BatchGetHeadsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_session_v1_BatchGetHeadsResponse__Output>): grpc.ClientUnaryCall;
  BatchGetHeads(argument: _agentplane_session_v1_BatchGetHeadsRequest, callback: grpc.requestCallback<_agentplane_session_v1_BatchGetHeadsResponse__Output>): grpc.ClientUnaryCall;
  batchGetHeads(argument: _agentplane_session_v1_BatchGetHeadsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_session_v1_BatchGetHeadsResponse__Output>): grpc.ClientUnaryCall;
  batchGetHeads(argument: _agentplane_session_v1_BatchGetHeadsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_agentplane_session_v1_BatchGetHeadsResponse__Output>): grpc.ClientUnaryCall;
  batchGetHeads(argument: _agentplane_session_v1_BatchGetHeadsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_session_v1_BatchGetHeadsResponse__Output>): grpc.ClientUnaryCall;
  batchGetHeads(argument: _agentplane_session_v1_BatchGetHeadsRequest, callback: grpc.requestCallback<_agentplane_session_v1_BatchGetHeadsResponse__Output>): grpc.ClientUnaryCall;
  
  BeginRun(argument: _agentplane_session_v1_BeginRunRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_agentplane_session_v1_BeginRunResponse__Output>;
  BeginRun(argument: _agentplane_session_v1_BeginRunRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_agentplane_session_v1_BeginRunResponse__Output>;
  beginRun(argument: _agentplane_session_v1_BeginRunRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_agentplane_session_v1_BeginRunResponse__Output>;
  beginRun(argument: _agentplane_session_v1_BeginRunRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_agentplane_session_v1_BeginRunResponse__Output>;
  
  FinishRun(argument: _agentplane_session_v1_FinishRunRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_session_v1_FinishRunResponse__Output>): grpc.ClientUnaryCall;
  FinishRun(argument: _agentplane_session_v1_FinishRunRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_agentplane_session_v1_FinishRunResponse__Output>): grpc.ClientUnaryCall;
  FinishRun(argument: _agentplane_session_v1_FinishRunRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_session_v1_FinishRunResponse__Output>): grpc.ClientUnaryCall;
  FinishRun(argument: _agentplane_session_v1_FinishRunRequest, callback: grpc.requestCallback<_agentplane_session_v1_FinishRunResponse__Output>): grpc.ClientUnaryCall;
  finishRun(argument: _agentplane_session_v1_FinishRunRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_session_v1_FinishRunResponse__Output>): grpc.ClientUnaryCall;
  finishRun(argument: _agentplane_session_v1_FinishRunRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_agentplane_session_v1_FinishRunResponse__Output>): grpc.ClientUnaryCall;
  finishRun(argument: _agentplane_session_v1_FinishRunRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_session_v1_FinishRunResponse__Output>): grpc.ClientUnaryCall;
  finishRun(argument: _agentplane_session_v1_FinishRunRequest, callback: grpc.requestCallback<_agentplane_session_v1_FinishRunResponse__Output>): grpc.ClientUnaryCall;
  
  GetRun(argument: _agentplane_session_v1_GetRunRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_session_v1_GetRunResponse__Output>): grpc.ClientUnaryCall;
  GetRun(argument: _agentplane_session_v1_GetRunRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_agentplane_session_v1_GetRunResponse__Output>): grpc.ClientUnaryCall;
  GetRun(argument: _agentplane_session_v1_GetRunRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_session_v1_GetRunResponse__Output>): grpc.ClientUnaryCall;
  GetRun(argument: _agentplane_session_v1_GetRunRequest, callback: grpc.requestCallback<_agentplane_session_v1_GetRunResponse__Output>): grpc.ClientUnaryCall;
  getRun(argument: _agentplane_session_v1_GetRunRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_session_v1_GetRunResponse__Output>): grpc.ClientUnaryCall;
  getRun(argument: _agentplane_session_v1_GetRunRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_agentplane_session_v1_GetRunResponse__Output>): grpc.ClientUnaryCall;
  getRun(argument: _agentplane_session_v1_GetRunRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_session_v1_GetRunResponse__Output>): grpc.ClientUnaryCall;
  getRun(argument: _agentplane_session_v1_GetRunRequest, callback: grpc.requestCallback<_agentplane_session_v1_GetRunResponse__Output>): grpc.ClientUnaryCall;
  
  JournalPipe(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_agentplane_session_v1_JournalPipeRequest, _agentplane_session_v1_JournalPipeResponse__Output>;
  JournalPipe(options?: grpc.CallOptions): grpc.ClientDuplexStream<_agentplane_session_v1_JournalPipeRequest, _agentplane_session_v1_JournalPipeResponse__Output>;
  journalPipe(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_agentplane_session_v1_JournalPipeRequest, _agentplane_session_v1_JournalPipeResponse__Output>;
  journalPipe(options?: grpc.CallOptions): grpc.ClientDuplexStream<_agentplane_session_v1_JournalPipeRequest, _agentplane_session_v1_JournalPipeResponse__Output>;
  
  ListAbandonedRuns(argument: _agentplane_session_v1_ListAbandonedRunsRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_agentplane_session_v1_ListAbandonedRunsResponse__Output>;
  ListAbandonedRuns(argument: _agentplane_session_v1_ListAbandonedRunsRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_agentplane_session_v1_ListAbandonedRunsResponse__Output>;
  listAbandonedRuns(argument: _agentplane_session_v1_ListAbandonedRunsRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_agentplane_session_v1_ListAbandonedRunsResponse__Output>;
  listAbandonedRuns(argument: _agentplane_session_v1_ListAbandonedRunsRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_agentplane_session_v1_ListAbandonedRunsResponse__Output>;
  
  ListRuns(argument: _agentplane_session_v1_ListRunsRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_agentplane_session_v1_ListRunsResponse__Output>;
  ListRuns(argument: _agentplane_session_v1_ListRunsRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_agentplane_session_v1_ListRunsResponse__Output>;
  listRuns(argument: _agentplane_session_v1_ListRunsRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_agentplane_session_v1_ListRunsResponse__Output>;
  listRuns(argument: _agentplane_session_v1_ListRunsRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_agentplane_session_v1_ListRunsResponse__Output>;
  
  ReleaseRun(argument: _agentplane_session_v1_ReleaseRunRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_session_v1_ReleaseRunResponse__Output>): grpc.ClientUnaryCall;
  ReleaseRun(argument: _agentplane_session_v1_ReleaseRunRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_agentplane_session_v1_ReleaseRunResponse__Output>): grpc.ClientUnaryCall;
  ReleaseRun(argument: _agentplane_session_v1_ReleaseRunRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_session_v1_ReleaseRunResponse__Output>): grpc.ClientUnaryCall;
  ReleaseRun(argument: _agentplane_session_v1_ReleaseRunRequest, callback: grpc.requestCallback<_agentplane_session_v1_ReleaseRunResponse__Output>): grpc.ClientUnaryCall;
  releaseRun(argument: _agentplane_session_v1_ReleaseRunRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_session_v1_ReleaseRunResponse__Output>): grpc.ClientUnaryCall;
  releaseRun(argument: _agentplane_session_v1_ReleaseRunRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_agentplane_session_v1_ReleaseRunResponse__Output>): grpc.ClientUnaryCall;
  releaseRun(argument: _agentplane_session_v1_ReleaseRunRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_session_v1_ReleaseRunResponse__Output>): grpc.ClientUnaryCall;
  releaseRun(argument: _agentplane_session_v1_ReleaseRunRequest, callback: grpc.requestCallback<_agentplane_session_v1_ReleaseRunResponse__Output>): grpc.ClientUnaryCall;
  
  RenewLease(argument: _agentplane_session_v1_RenewLeaseRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_session_v1_RenewLeaseResponse__Output>): grpc.ClientUnaryCall;
  RenewLease(argument: _agentplane_session_v1_RenewLeaseRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_agentplane_session_v1_RenewLeaseResponse__Output>): grpc.ClientUnaryCall;
  RenewLease(argument: _agentplane_session_v1_RenewLeaseRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_session_v1_RenewLeaseResponse__Output>): grpc.ClientUnaryCall;
  RenewLease(argument: _agentplane_session_v1_RenewLeaseRequest, callback: grpc.requestCallback<_agentplane_session_v1_RenewLeaseResponse__Output>): grpc.ClientUnaryCall;
  renewLease(argument: _agentplane_session_v1_RenewLeaseRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_session_v1_RenewLeaseResponse__Output>): grpc.ClientUnaryCall;
  renewLease(argument: _agentplane_session_v1_RenewLeaseRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_agentplane_session_v1_RenewLeaseResponse__Output>): grpc.ClientUnaryCall;
  renewLease(argument: _agentplane_session_v1_RenewLeaseRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_session_v1_RenewLeaseResponse__Output>): grpc.ClientUnaryCall;
  renewLease(argument: _agentplane_session_v1_RenewLeaseRequest, callback: grpc.requestCallback<_agentplane_session_v1_RenewLeaseResponse__Output>): grpc.ClientUnaryCall;
  
  RequestCancel(argument: _agentplane_session_v1_RequestCancelRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_session_v1_RequestCancelResponse__Output>): grpc.ClientUnaryCall;
  RequestCancel(argument: _agentplane_session_v1_RequestCancelRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_agentplane_session_v1_RequestCancelResponse__Output>): grpc.ClientUnaryCall;
  RequestCancel(argument: _agentplane_session_v1_RequestCancelRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_session_v1_RequestCancelResponse__Output>): grpc.ClientUnaryCall;
  RequestCancel(argument: _agentplane_session_v1_RequestCancelRequest, callback: grpc.requestCallback<_agentplane_session_v1_RequestCancelResponse__Output>): grpc.ClientUnaryCall;
  requestCancel(argument: _agentplane_session_v1_RequestCancelRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_session_v1_RequestCancelResponse__Output>): grpc.ClientUnaryCall;
  requestCancel(argument: _agentplane_session_v1_RequestCancelRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_agentplane_session_v1_RequestCancelResponse__Output>): grpc.ClientUnaryCall;
  requestCancel(argument: _agentplane_session_v1_RequestCancelRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_session_v1_RequestCancelResponse__Output>): grpc.ClientUnaryCall;
  requestCancel(argument: _agentplane_session_v1_RequestCancelRequest, callback: grpc.requestCallback<_agentplane_session_v1_RequestCancelResponse__Output>): grpc.ClientUnaryCall;
  
}

export interface RunJournalServiceHandlers extends grpc.UntypedServiceImplementation {
  AppendEvents: grpc.handleUnaryCall<_agentplane_session_v1_AppendEventsRequest__Output, _agentplane_session_v1_AppendEventsResponse>;
  
  BatchGetHeads: grpc.handleUnaryCall<_agentplane_session_v1_BatchGetHeadsRequest__Output, _agentplane_session_v1_BatchGetHeadsResponse>;
  
  BeginRun: grpc.handleServerStreamingCall<_agentplane_session_v1_BeginRunRequest__Output, _agentplane_session_v1_BeginRunResponse>;
  
  FinishRun: grpc.handleUnaryCall<_agentplane_session_v1_FinishRunRequest__Output, _agentplane_session_v1_FinishRunResponse>;
  
  GetRun: grpc.handleUnaryCall<_agentplane_session_v1_GetRunRequest__Output, _agentplane_session_v1_GetRunResponse>;
  
  JournalPipe: grpc.handleBidiStreamingCall<_agentplane_session_v1_JournalPipeRequest__Output, _agentplane_session_v1_JournalPipeResponse>;
  
  ListAbandonedRuns: grpc.handleServerStreamingCall<_agentplane_session_v1_ListAbandonedRunsRequest__Output, _agentplane_session_v1_ListAbandonedRunsResponse>;
  
  ListRuns: grpc.handleServerStreamingCall<_agentplane_session_v1_ListRunsRequest__Output, _agentplane_session_v1_ListRunsResponse>;
  
  ReleaseRun: grpc.handleUnaryCall<_agentplane_session_v1_ReleaseRunRequest__Output, _agentplane_session_v1_ReleaseRunResponse>;
  
  RenewLease: grpc.handleUnaryCall<_agentplane_session_v1_RenewLeaseRequest__Output, _agentplane_session_v1_RenewLeaseResponse>;
  
  RequestCancel: grpc.handleUnaryCall<_agentplane_session_v1_RequestCancelRequest__Output, _agentplane_session_v1_RequestCancelResponse>;
  
}

export interface RunJournalServiceDefinition extends grpc.ServiceDefinition {
  AppendEvents: MethodDefinition<_agentplane_session_v1_AppendEventsRequest, _agentplane_session_v1_AppendEventsResponse, _agentplane_session_v1_AppendEventsRequest__Output, _agentplane_session_v1_AppendEventsResponse__Output>
  BatchGetHeads: MethodDefinition<_agentplane_session_v1_BatchGetHeadsRequest, _agentplane_session_v1_BatchGetHeadsResponse, _agentplane_session_v1_BatchGetHeadsRequest__Output, _agentplane_session_v1_BatchGetHeadsResponse__Output>
  BeginRun: MethodDefinition<_agentplane_session_v1_BeginRunRequest, _agentplane_session_v1_BeginRunResponse, _agentplane_session_v1_BeginRunRequest__Output, _agentplane_session_v1_BeginRunResponse__Output>
  FinishRun: MethodDefinition<_agentplane_session_v1_FinishRunRequest, _agentplane_session_v1_FinishRunResponse, _agentplane_session_v1_FinishRunRequest__Output, _agentplane_session_v1_FinishRunResponse__Output>
  GetRun: MethodDefinition<_agentplane_session_v1_GetRunRequest, _agentplane_session_v1_GetRunResponse, _agentplane_session_v1_GetRunRequest__Output, _agentplane_session_v1_GetRunResponse__Output>
  JournalPipe: MethodDefinition<_agentplane_session_v1_JournalPipeRequest, _agentplane_session_v1_JournalPipeResponse, _agentplane_session_v1_JournalPipeRequest__Output, _agentplane_session_v1_JournalPipeResponse__Output>
  ListAbandonedRuns: MethodDefinition<_agentplane_session_v1_ListAbandonedRunsRequest, _agentplane_session_v1_ListAbandonedRunsResponse, _agentplane_session_v1_ListAbandonedRunsRequest__Output, _agentplane_session_v1_ListAbandonedRunsResponse__Output>
  ListRuns: MethodDefinition<_agentplane_session_v1_ListRunsRequest, _agentplane_session_v1_ListRunsResponse, _agentplane_session_v1_ListRunsRequest__Output, _agentplane_session_v1_ListRunsResponse__Output>
  ReleaseRun: MethodDefinition<_agentplane_session_v1_ReleaseRunRequest, _agentplane_session_v1_ReleaseRunResponse, _agentplane_session_v1_ReleaseRunRequest__Output, _agentplane_session_v1_ReleaseRunResponse__Output>
  RenewLease: MethodDefinition<_agentplane_session_v1_RenewLeaseRequest, _agentplane_session_v1_RenewLeaseResponse, _agentplane_session_v1_RenewLeaseRequest__Output, _agentplane_session_v1_RenewLeaseResponse__Output>
  RequestCancel: MethodDefinition<_agentplane_session_v1_RequestCancelRequest, _agentplane_session_v1_RequestCancelResponse, _agentplane_session_v1_RequestCancelRequest__Output, _agentplane_session_v1_RequestCancelResponse__Output>
}
