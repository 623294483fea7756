// Original file: agentplane/eval/v1/eval_service.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { AddEvalCaseRequest as _agentplane_eval_v1_AddEvalCaseRequest, AddEvalCaseRequest__Output as _agentplane_eval_v1_AddEvalCaseRequest__Output } from '../../../agentplane/eval/v1/AddEvalCaseRequest.ts';
import type { AddEvalCaseResponse as _agentplane_eval_v1_AddEvalCaseResponse, AddEvalCaseResponse__Output as _agentplane_eval_v1_AddEvalCaseResponse__Output } from '../../../agentplane/eval/v1/AddEvalCaseResponse.ts';
import type { CreateEvalSetRequest as _agentplane_eval_v1_CreateEvalSetRequest, CreateEvalSetRequest__Output as _agentplane_eval_v1_CreateEvalSetRequest__Output } from '../../../agentplane/eval/v1/CreateEvalSetRequest.ts';
import type { CreateEvalSetResponse as _agentplane_eval_v1_CreateEvalSetResponse, CreateEvalSetResponse__Output as _agentplane_eval_v1_CreateEvalSetResponse__Output } from '../../../agentplane/eval/v1/CreateEvalSetResponse.ts';
import type { DeleteEvalCaseRequest as _agentplane_eval_v1_DeleteEvalCaseRequest, DeleteEvalCaseRequest__Output as _agentplane_eval_v1_DeleteEvalCaseRequest__Output } from '../../../agentplane/eval/v1/DeleteEvalCaseRequest.ts';
import type { DeleteEvalCaseResponse as _agentplane_eval_v1_DeleteEvalCaseResponse, DeleteEvalCaseResponse__Output as _agentplane_eval_v1_DeleteEvalCaseResponse__Output } from '../../../agentplane/eval/v1/DeleteEvalCaseResponse.ts';
import type { DeleteEvalSetRequest as _agentplane_eval_v1_DeleteEvalSetRequest, DeleteEvalSetRequest__Output as _agentplane_eval_v1_DeleteEvalSetRequest__Output } from '../../../agentplane/eval/v1/DeleteEvalSetRequest.ts';
import type { DeleteEvalSetResponse as _agentplane_eval_v1_DeleteEvalSetResponse, DeleteEvalSetResponse__Output as _agentplane_eval_v1_DeleteEvalSetResponse__Output } from '../../../agentplane/eval/v1/DeleteEvalSetResponse.ts';
import type { GetEvalCaseRequest as _agentplane_eval_v1_GetEvalCaseRequest, GetEvalCaseRequest__Output as _agentplane_eval_v1_GetEvalCaseRequest__Output } from '../../../agentplane/eval/v1/GetEvalCaseRequest.ts';
import type { GetEvalCaseResponse as _agentplane_eval_v1_GetEvalCaseResponse, GetEvalCaseResponse__Output as _agentplane_eval_v1_GetEvalCaseResponse__Output } from '../../../agentplane/eval/v1/GetEvalCaseResponse.ts';
import type { GetEvalSetRequest as _agentplane_eval_v1_GetEvalSetRequest, GetEvalSetRequest__Output as _agentplane_eval_v1_GetEvalSetRequest__Output } from '../../../agentplane/eval/v1/GetEvalSetRequest.ts';
import type { GetEvalSetResponse as _agentplane_eval_v1_GetEvalSetResponse, GetEvalSetResponse__Output as _agentplane_eval_v1_GetEvalSetResponse__Output } from '../../../agentplane/eval/v1/GetEvalSetResponse.ts';
import type { GetEvalSetResultRequest as _agentplane_eval_v1_GetEvalSetResultRequest, GetEvalSetResultRequest__Output as _agentplane_eval_v1_GetEvalSetResultRequest__Output } from '../../../agentplane/eval/v1/GetEvalSetResultRequest.ts';
import type { GetEvalSetResultResponse as _agentplane_eval_v1_GetEvalSetResultResponse, GetEvalSetResultResponse__Output as _agentplane_eval_v1_GetEvalSetResultResponse__Output } from '../../../agentplane/eval/v1/GetEvalSetResultResponse.ts';
import type { ListEvalCasesRequest as _agentplane_eval_v1_ListEvalCasesRequest, ListEvalCasesRequest__Output as _agentplane_eval_v1_ListEvalCasesRequest__Output } from '../../../agentplane/eval/v1/ListEvalCasesRequest.ts';
import type { ListEvalCasesResponse as _agentplane_eval_v1_ListEvalCasesResponse, ListEvalCasesResponse__Output as _agentplane_eval_v1_ListEvalCasesResponse__Output } from '../../../agentplane/eval/v1/ListEvalCasesResponse.ts';
import type { ListEvalSetResultsRequest as _agentplane_eval_v1_ListEvalSetResultsRequest, ListEvalSetResultsRequest__Output as _agentplane_eval_v1_ListEvalSetResultsRequest__Output } from '../../../agentplane/eval/v1/ListEvalSetResultsRequest.ts';
import type { ListEvalSetResultsResponse as _agentplane_eval_v1_ListEvalSetResultsResponse, ListEvalSetResultsResponse__Output as _agentplane_eval_v1_ListEvalSetResultsResponse__Output } from '../../../agentplane/eval/v1/ListEvalSetResultsResponse.ts';
import type { ListEvalSetsRequest as _agentplane_eval_v1_ListEvalSetsRequest, ListEvalSetsRequest__Output as _agentplane_eval_v1_ListEvalSetsRequest__Output } from '../../../agentplane/eval/v1/ListEvalSetsRequest.ts';
import type { ListEvalSetsResponse as _agentplane_eval_v1_ListEvalSetsResponse, ListEvalSetsResponse__Output as _agentplane_eval_v1_ListEvalSetsResponse__Output } from '../../../agentplane/eval/v1/ListEvalSetsResponse.ts';
import type { SaveEvalSetResultRequest as _agentplane_eval_v1_SaveEvalSetResultRequest, SaveEvalSetResultRequest__Output as _agentplane_eval_v1_SaveEvalSetResultRequest__Output } from '../../../agentplane/eval/v1/SaveEvalSetResultRequest.ts';
import type { SaveEvalSetResultResponse as _agentplane_eval_v1_SaveEvalSetResultResponse, SaveEvalSetResultResponse__Output as _agentplane_eval_v1_SaveEvalSetResultResponse__Output } from '../../../agentplane/eval/v1/SaveEvalSetResultResponse.ts';
import type { UpdateEvalCaseRequest as _agentplane_eval_v1_UpdateEvalCaseRequest, UpdateEvalCaseRequest__Output as _agentplane_eval_v1_UpdateEvalCaseRequest__Output } from '../../../agentplane/eval/v1/UpdateEvalCaseRequest.ts';
import type { UpdateEvalCaseResponse as _agentplane_eval_v1_UpdateEvalCaseResponse, UpdateEvalCaseResponse__Output as _agentplane_eval_v1_UpdateEvalCaseResponse__Output } from '../../../agentplane/eval/v1/UpdateEvalCaseResponse.ts';

export interface EvalServiceClient extends grpc.Client {
  AddEvalCase(metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_eval_v1_AddEvalCaseResponse__Output>): grpc.ClientWritableStream<_agentplane_eval_v1_AddEvalCaseRequest>;
  AddEvalCase(metadata: grpc.Metadata, callback: grpc.requestCallback<_agentplane_eval_v1_AddEvalCaseResponse__Output>): grpc.ClientWritableStream<_agentplane_eval_v1_AddEvalCaseRequest>;
  AddEvalCase(options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_eval_v1_AddEvalCaseResponse__Output>): grpc.ClientWritableStream<_agentplane_eval_v1_AddEvalCaseRequest>;
  AddEvalCase(callback: grpc.requestCallback<_agentplane_eval_v1_AddEvalCaseResponse__Output>): grpc.ClientWritableStream<_agentplane_eval_v1_AddEvalCaseRequest>;
  addEvalCase(metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_eval_v1_AddEvalCaseResponse__Output>): grpc.ClientWritableStream<_agentplane_eval_v1_AddEvalCaseRequest>;
  addEvalCase(metadata: grpc.Metadata, callback: grpc.requestCallback<_agentplane_eval_v1_AddEvalCaseResponse__Output>): grpc.ClientWritableStream<_agentplane_eval_v1_AddEvalCaseRequest>;
  addEvalCase(options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_eval_v1_AddEvalCaseResponse__Output>): grpc.ClientWritableStream<_agentplane_eval_v1_AddEvalCaseRequest>;
  addEvalCase(callback: grpc.requestCallback<_agentplane_eval_v1_AddEvalCaseResponse__Output>): grpc.ClientWritableStream<_agentplane_eval_v1_AddEvalCaseRequest>;
  
  CreateEvalSet(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_agentplane_eval_v1_CreateEvalSetRequest, _agentplane_eval_v1_CreateEvalSetResponse__Output>;
  CreateEvalSet(options?: grpc.CallOptions): grpc.ClientDuplexStream<_agentplane_eval_v1_CreateEvalSetRequest, _agentplane_eval_v1_CreateEvalSetResponse__Output>;
  createEvalSet(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_agentplane_eval_v1_CreateEvalSetRequest, _agentplane_eval_v1_CreateEvalSetResponse__Output>;
  createEvalSet(options?: grpc.CallOptions): grpc.ClientDuplexStream<_agentplane_eval_v1_CreateEvalSetRequest, _agentplane_eval_v1_CreateEvalSetResponse__Output>;
  
  DeleteEvalCase(argument: _agentplane_eval_v1_DeleteEvalCaseRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_eval_v1_DeleteEvalCaseResponse__Output>): grpc.ClientUnaryCall;
  DeleteEvalCase(argument: _agentplane_eval_v1_DeleteEvalCaseRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_agentplane_eval_v1_DeleteEvalCaseResponse__Output>): grpc.ClientUnaryCall;
  DeleteEvalCase(argument: _agentplane_eval_v1_DeleteEvalCaseRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_eval_v1_DeleteEvalCaseResponse__Output>): grpc.ClientUnaryCall;
  DeleteEvalCase(argument: _agentplane_eval_v1_DeleteEvalCaseRequest, callback: grpc.requestCallback<_agentplane_eval_v1_DeleteEvalCaseResponse__Output>): grpc.ClientUnaryCall;
  deleteEvalCase(argument: _agentplane_eval_v1_DeleteEvalCaseRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_eval_v1_DeleteEvalCaseResponse__Output>): grpc.ClientUnaryCall;
  deleteEvalCase(argument: _agentplane_eval_v1_DeleteEvalCaseRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_agentplane_eval_v1_DeleteEvalCaseResponse__Output>): grpc.ClientUnaryCall;
  deleteEvalCase(argument: _agentplane_eval_v1_DeleteEvalCaseRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_eval_v1_DeleteEvalCaseResponse__Output>): grpc.ClientUnaryCall;
  deleteEvalCase(argument: _agentplane_eval_v1_DeleteEvalCaseRequest, callback: grpc.requestCallback<_agentplane_eval_v1_DeleteEvalCaseResponse__Output>): grpc.ClientUnaryCall;
  
  DeleteEvalSet(argument: _agentplane_eval_v1_DeleteEvalSetRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_eval_v1_DeleteEvalSetResponse__Output>): grpc.ClientUnaryCall;
  DeleteEvalSet(argument: _agentplane_eval_v1_DeleteEvalSetRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_agentplane_eval_v1_DeleteEvalSetResponse__Output>): grpc.ClientUnaryCall;
  DeleteEvalSet(argument: _agentplane_eval_v1_DeleteEvalSetRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_eval_v1_DeleteEvalSetResponse__Output>): grpc.ClientUnaryCall;
  DeleteEvalSet(argument: _agentplane_eval_v1_DeleteEvalSetRequest, callback: grpc.requestCallback<_agentplane_eval_v1_DeleteEvalSetResponse__Output>): grpc.ClientUnaryCall;
  deleteEvalSet(argument: _agentplane_eval_v1_DeleteEvalSetRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_eval_v1_DeleteEvalSetResponse__Output>): grpc.ClientUnaryCall;
  deleteEvalSet(argument: _agentplane_eval_v1_DeleteEvalSetRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_agentplane_eval_v1_DeleteEvalSetResponse__Output>): grpc.ClientUnaryCall;
  deleteEvalSet(argument: _agentplane_eval_v1_DeleteEvalSetRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_eval_v1_DeleteEvalSetResponse__Output>): grpc.ClientUnaryCall;
  deleteEvalSet(argument: _agentplane_eval_v1_DeleteEvalSetRequest, callback: grpc.requestCallback<_agentplane_eval_v1_DeleteEvalSetResponse__Output>): grpc.ClientUnaryCall;
  
  GetEvalCase(argument: _agentplane_eval_v1_GetEvalCaseRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_agentplane_eval_v1_GetEvalCaseResponse__Output>;
  GetEvalCase(argument: _agentplane_eval_v1_GetEvalCaseRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_agentplane_eval_v1_GetEvalCaseResponse__Output>;
  getEvalCase(argument: _agentplane_eval_v1_GetEvalCaseRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_agentplane_eval_v1_GetEvalCaseResponse__Output>;
  getEvalCase(argument: _agentplane_eval_v1_GetEvalCaseRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_agentplane_eval_v1_GetEvalCaseResponse__Output>;
  
  GetEvalSet(argument: _agentplane_eval_v1_GetEvalSetRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_agentplane_eval_v1_GetEvalSetResponse__Output>;
  GetEvalSet(argument: _agentplane_eval_v1_GetEvalSetRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_agentplane_eval_v1_GetEvalSetResponse__Output>;
  getEvalSet(argument: _agentplane_eval_v1_GetEvalSetRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_agentplane_eval_v1_GetEvalSetResponse__Output>;
  getEvalSet(argument: _agentplane_eval_v1_GetEvalSetRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_agentplane_eval_v1_GetEvalSetResponse__Output>;
  
  GetEvalSetResult(argument: _agentplane_eval_v1_GetEvalSetResultRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_agentplane_eval_v1_GetEvalSetResultResponse__Output>;
  GetEvalSetResult(argument: _agentplane_eval_v1_GetEvalSetResultRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_agentplane_eval_v1_GetEvalSetResultResponse__Output>;
  getEvalSetResult(argument: _agentplane_eval_v1_GetEvalSetResultRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_agentplane_eval_v1_GetEvalSetResultResponse__Output>;
  getEvalSetResult(argument: _agentplane_eval_v1_GetEvalSetResultRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_agentplane_eval_v1_GetEvalSetResultResponse__Output>;
  
  ListEvalCases(argument: _agentplane_eval_v1_ListEvalCasesRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_eval_v1_ListEvalCasesResponse__Output>): grpc.ClientUnaryCall;
  ListEvalCases(argument: _agentplane_eval_v1_ListEvalCasesRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_agentplane_eval_v1_ListEvalCasesResponse__Output>): grpc.ClientUnaryCall;
  ListEvalCases(argument: _agentplane_eval_v1_ListEvalCasesRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_eval_v1_ListEvalCasesResponse__Output>): grpc.ClientUnaryCall;
  ListEvalCases(argument: _agentplane_eval_v1_ListEvalCasesRequest, callback: grpc.requestCallback<_agentplane_eval_v1_ListEvalCasesResponse__Output>): grpc.ClientUnaryCall;
  listEvalCases(argument: _agentplane_eval_v1_ListEvalCasesRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_eval_v1_ListEvalCasesResponse__Output>): grpc.ClientUnaryCall;
  listEvalCases(argument: _agentplane_eval_v1_ListEvalCasesRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_agentplane_eval_v1_ListEvalCasesResponse__Output>): grpc.ClientUnaryCall;
  listEvalCases(argument: _agentplane_eval_v1_ListEvalCasesRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_eval_v1_ListEvalCasesResponse__Output>): grpc.ClientUnaryCall;
  listEvalCases(argument: _agentplane_eval_v1_ListEvalCasesRequest, callback: grpc.requestCallback<_agentplane_eval_v1_ListEvalCasesResponse__Output>): grpc.ClientUnaryCall;
  
  ListEvalSetResults(argument: _agentplane_eval_v1_ListEvalSetResultsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_eval_v1_ListEvalSetResultsResponse__Output>): grpc.ClientUnaryCall;
  ListEvalSetResults(argument: _agentplane_eval_v1_ListEvalSetResultsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_agentplane_eval_v1_ListEvalSetResultsResponse__Output>): grpc.ClientUnaryCall;
  ListEvalSetResults(argument: _agentplane_eval_v1_ListEvalSetResultsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_eval_v1_ListEvalSetResultsResponse__Output>): grpc.ClientUnaryCall;
  ListEvalSetResults(argument: _agentplane_eval_v1_ListEvalSetResultsRequest, callback: grpc.requestCallback<_agentplane_eval_v1_ListEvalSetResultsResponse__Output>): grpc.ClientUnaryCall;
  listEvalSetResults(argument: _agentplane_eval_v1_ListEvalSetResultsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_eval_v1_ListEvalSetResultsResponse__Output>): grpc.ClientUnaryCall;
  listEvalSetResults(argument: _agentplane_eval_v1_ListEvalSetResultsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_agentplane_eval_v1_ListEvalSetResultsResponse__Output>): grpc.ClientUnaryCall;
  listEvalSetResults(argument: _agentplane_eval_v1_ListEvalSetResultsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_eval_v1_ListEvalSetResultsResponse__Output>): grpc.ClientUnaryCall;
  listEvalSetResults(argument: _agentplane_eval_v1_ListEvalSetResultsRequest, callback: grpc.requestCallback<_agentplane_eval_v1_ListEvalSetResultsResponse__Output>): grpc.ClientUnaryCall;
  
  ListEvalSets(argument: _agentplane_eval_v1_ListEvalSetsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_eval_v1_ListEvalSetsResponse__Output>): grpc.ClientUnaryCall;
  ListEvalSets(argument: _agentplane_eval_v1_ListEvalSetsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_agentplane_eval_v1_ListEvalSetsResponse__Output>): grpc.ClientUnaryCall;
  ListEvalSets(argument: _agentplane_eval_v1_ListEvalSetsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_eval_v1_ListEvalSetsResponse__Output>): grpc.ClientUnaryCall;
  ListEvalSets(argument: _agentplane_eval_v1_ListEvalSetsRequest, callback: grpc.requestCallback<_agentplane_eval_v1_ListEvalSetsResponse__Output>): grpc.ClientUnaryCall;
  listEvalSets(argument: _agentplane_eval_v1_ListEvalSetsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_eval_v1_ListEvalSetsResponse__Output>): grpc.ClientUnaryCall;
  listEvalSets(argument: _agentplane_eval_v1_ListEvalSetsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_agentplane_eval_v1_ListEvalSetsResponse__Output>): grpc.ClientUnaryCall;
  listEvalSets(argument: _agentplane_eval_v1_ListEvalSetsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_eval_v1_ListEvalSetsResponse__Output>): grpc.ClientUnaryCall;
  listEvalSets(argument: _agentplane_eval_v1_ListEvalSetsRequest, callback: grpc.requestCallback<_agentplane_eval_v1_ListEvalSetsResponse__Output>): grpc.ClientUnaryCall;
  
  SaveEvalSetResult(metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_eval_v1_SaveEvalSetResultResponse__Output>): grpc.ClientWritableStream<_agentplane_eval_v1_SaveEvalSetResultRequest>;
  SaveEvalSetResult(metadata: grpc.Metadata, callback: grpc.requestCallback<_agentplane_eval_v1_SaveEvalSetResultResponse__Output>): grpc.ClientWritableStream<_agentplane_eval_v1_SaveEvalSetResultRequest>;
  SaveEvalSetResult(options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_eval_v1_SaveEvalSetResultResponse__Output>): grpc.ClientWritableStream<_agentplane_eval_v1_SaveEvalSetResultRequest>;
  SaveEvalSetResult(callback: grpc.requestCallback<_agentplane_eval_v1_SaveEvalSetResultResponse__Output>): grpc.ClientWritableStream<_agentplane_eval_v1_SaveEvalSetResultRequest>;
  saveEvalSetResult(metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_eval_v1_SaveEvalSetResultResponse__Output>): grpc.ClientWritableStream<_agentplane_eval_v1_SaveEvalSetResultRequest>;
  saveEvalSetResult(metadata: grpc.Metadata, callback: grpc.requestCallback<_agentplane_eval_v1_SaveEvalSetResultResponse__Output>): grpc.ClientWritableStream<_agentplane_eval_v1_SaveEvalSetResultRequest>;
  saveEvalSetResult(options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_eval_v1_SaveEvalSetResultResponse__Output>): grpc.ClientWritableStream<_agentplane_eval_v1_SaveEvalSetResultRequest>;
  saveEvalSetResult(callback: grpc.requestCallback<_agentplane_eval_v1_SaveEvalSetResultResponse__Output>): grpc.ClientWritableStream<_agentplane_eval_v1_SaveEvalSetResultRequest>;
  
  UpdateEvalCase(metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_eval_v1_UpdateEvalCaseResponse__Output>): grpc.ClientWritableStream<_agentplane_eval_v1_UpdateEvalCaseRequest>;
  UpdateEvalCase(metadata: grpc.Metadata, callback: grpc.requestCallback<_agentplane_eval_v1_UpdateEvalCaseResponse__Output>): grpc.ClientWritableStream<_agentplane_eval_v1_UpdateEvalCaseRequest>;
  UpdateEvalCase(options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_eval_v1_UpdateEvalCaseResponse__Output>): grpc.ClientWritableStream<_agentplane_eval_v1_UpdateEvalCaseRequest>;
  UpdateEvalCase(callback: grpc.requestCallback<_agentplane_eval_v1_UpdateEvalCaseResponse__Output>): grpc.ClientWritableStream<_agentplane_eval_v1_UpdateEvalCaseRequest>;
  updateEvalCase(metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_eval_v1_UpdateEvalCaseResponse__Output>): grpc.ClientWritableStream<_agentplane_eval_v1_UpdateEvalCaseRequest>;
  updateEvalCase(metadata: grpc.Metadata, callback: grpc.requestCallback<_agentplane_eval_v1_UpdateEvalCaseResponse__Output>): grpc.ClientWritableStream<_agentplane_eval_v1_UpdateEvalCaseRequest>;
  updateEvalCase(options: grpc.CallOptions, callback: grpc.requestCallback<_agentplane_eval_v1_UpdateEvalCaseResponse__Output>): grpc.ClientWritableStream<_agentplane_eval_v1_UpdateEvalCaseRequest>;
  updateEvalCase(callback: grpc.requestCallback<_agentplane_eval_v1_UpdateEvalCaseResponse__Output>): grpc.ClientWritableStream<_agentplane_eval_v1_UpdateEvalCaseRequest>;
  
}

export interface EvalServiceHandlers extends grpc.UntypedServiceImplementation {
  AddEvalCase: grpc.handleClientStreamingCall<_agentplane_eval_v1_AddEvalCaseRequest__Output, _agentplane_eval_v1_AddEvalCaseResponse>;
  
  CreateEvalSet: grpc.handleBidiStreamingCall<_agentplane_eval_v1_CreateEvalSetRequest__Output, _agentplane_eval_v1_CreateEvalSetResponse>;
  
  DeleteEvalCase: grpc.handleUnaryCall<_agentplane_eval_v1_DeleteEvalCaseRequest__Output, _agentplane_eval_v1_DeleteEvalCaseResponse>;
  
  DeleteEvalSet: grpc.handleUnaryCall<_agentplane_eval_v1_DeleteEvalSetRequest__Output, _agentplane_eval_v1_DeleteEvalSetResponse>;
  
  GetEvalCase: grpc.handleServerStreamingCall<_agentplane_eval_v1_GetEvalCaseRequest__Output, _agentplane_eval_v1_GetEvalCaseResponse>;
  
  GetEvalSet: grpc.handleServerStreamingCall<_agentplane_eval_v1_GetEvalSetRequest__Output, _agentplane_eval_v1_GetEvalSetResponse>;
  
  GetEvalSetResult: grpc.handleServerStreamingCall<_agentplane_eval_v1_GetEvalSetResultRequest__Output, _agentplane_eval_v1_GetEvalSetResultResponse>;
  
  ListEvalCases: grpc.handleUnaryCall<_agentplane_eval_v1_ListEvalCasesRequest__Output, _agentplane_eval_v1_ListEvalCasesResponse>;
  
  ListEvalSetResults: grpc.handleUnaryCall<_agentplane_eval_v1_ListEvalSetResultsRequest__Output, _agentplane_eval_v1_ListEvalSetResultsResponse>;
  
  ListEvalSets: grpc.handleUnaryCall<_agentplane_eval_v1_ListEvalSetsRequest__Output, _agentplane_eval_v1_ListEvalSetsResponse>;
  
  SaveEvalSetResult: grpc.handleClientStreamingCall<_agentplane_eval_v1_SaveEvalSetResultRequest__Output, _agentplane_eval_v1_SaveEvalSetResultResponse>;
  
  UpdateEvalCase: grpc.handleClientStreamingCall<_agentplane_eval_v1_UpdateEvalCaseRequest__Output, _agentplane_eval_v1_UpdateEvalCaseResponse>;
  
}

export interface EvalServiceDefinition extends grpc.ServiceDefinition {
  AddEvalCase: MethodDefinition<_agentplane_eval_v1_AddEvalCaseRequest, _agentplane_eval_v1_AddEvalCaseResponse, _agentplane_eval_v1_AddEvalCaseRequest__Output, _agentplane_eval_v1_AddEvalCaseResponse__Output>
  CreateEvalSet: MethodDefinition<_agentplane_eval_v1_CreateEvalSetRequest, _agentplane_eval_v1_CreateEvalSetResponse, _agentplane_eval_v1_CreateEvalSetRequest__Output, _agentplane_eval_v1_CreateEvalSetResponse__Output>
  DeleteEvalCase: MethodDefinition<_agentplane_eval_v1_DeleteEvalCaseRequest, _agentplane_eval_v1_DeleteEvalCaseResponse, _agentplane_eval_v1_DeleteEvalCaseRequest__Output, _agentplane_eval_v1_DeleteEvalCaseResponse__Output>
  DeleteEvalSet: MethodDefinition<_agentplane_eval_v1_DeleteEvalSetRequest, _agentplane_eval_v1_DeleteEvalSetResponse, _agentplane_eval_v1_DeleteEvalSetRequest__Output, _agentplane_eval_v1_DeleteEvalSetResponse__Output>
  GetEvalCase: MethodDefinition<_agentplane_eval_v1_GetEvalCaseRequest, _agentplane_eval_v1_GetEvalCaseResponse, _agentplane_eval_v1_GetEvalCaseRequest__Output, _agentplane_eval_v1_GetEvalCaseResponse__Output>
  GetEvalSet: MethodDefinition<_agentplane_eval_v1_GetEvalSetRequest, _agentplane_eval_v1_GetEvalSetResponse, _agentplane_eval_v1_GetEvalSetRequest__Output, _agentplane_eval_v1_GetEvalSetResponse__Output>
  GetEvalSetResult: MethodDefinition<_agentplane_eval_v1_GetEvalSetResultRequest, _agentplane_eval_v1_GetEvalSetResultResponse, _agentplane_eval_v1_GetEvalSetResultRequest__Output, _agentplane_eval_v1_GetEvalSetResultResponse__Output>
  ListEvalCases: MethodDefinition<_agentplane_eval_v1_ListEvalCasesRequest, _agentplane_eval_v1_ListEvalCasesResponse, _agentplane_eval_v1_ListEvalCasesRequest__Output, _agentplane_eval_v1_ListEvalCasesResponse__Output>
  ListEvalSetResults: MethodDefinition<_agentplane_eval_v1_ListEvalSetResultsRequest, _agentplane_eval_v1_ListEvalSetResultsResponse, _agentplane_eval_v1_ListEvalSetResultsRequest__Output, _agentplane_eval_v1_ListEvalSetResultsResponse__Output>
  ListEvalSets: MethodDefinition<_agentplane_eval_v1_ListEvalSetsRequest, _agentplane_eval_v1_ListEvalSetsResponse, _agentplane_eval_v1_ListEvalSetsRequest__Output, _agentplane_eval_v1_ListEvalSetsResponse__Output>
  SaveEvalSetResult: MethodDefinition<_agentplane_eval_v1_SaveEvalSetResultRequest, _agentplane_eval_v1_SaveEvalSetResultResponse, _agentplane_eval_v1_SaveEvalSetResultRequest__Output, _agentplane_eval_v1_SaveEvalSetResultResponse__Output>
  UpdateEvalCase: MethodDefinition<_agentplane_eval_v1_UpdateEvalCaseRequest, _agentplane_eval_v1_UpdateEvalCaseResponse, _agentplane_eval_v1_UpdateEvalCaseRequest__Output, _agentplane_eval_v1_UpdateEvalCaseResponse__Output>
}
