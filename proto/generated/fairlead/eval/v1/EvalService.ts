// Original file: fairlead/eval/v1/eval_service.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { AddEvalCaseRequest as _fairlead_eval_v1_AddEvalCaseRequest, AddEvalCaseRequest__Output as _fairlead_eval_v1_AddEvalCaseRequest__Output } from '../../../fairlead/eval/v1/AddEvalCaseRequest.ts';
import type { AddEvalCaseResponse as _fairlead_eval_v1_AddEvalCaseResponse, AddEvalCaseResponse__Output as _fairlead_eval_v1_AddEvalCaseResponse__Output } from '../../../fairlead/eval/v1/AddEvalCaseResponse.ts';
import type { CreateEvalSetRequest as _fairlead_eval_v1_CreateEvalSetRequest, CreateEvalSetRequest__Output as _fairlead_eval_v1_CreateEvalSetRequest__Output } from '../../../fairlead/eval/v1/CreateEvalSetRequest.ts';
import type { CreateEvalSetResponse as _fairlead_eval_v1_CreateEvalSetResponse, CreateEvalSetResponse__Output as _fairlead_eval_v1_CreateEvalSetResponse__Output } from '../../../fairlead/eval/v1/CreateEvalSetResponse.ts';
import type { DeleteDataRequest as _fairlead_eval_v1_DeleteDataRequest, DeleteDataRequest__Output as _fairlead_eval_v1_DeleteDataRequest__Output } from '../../../fairlead/eval/v1/DeleteDataRequest.ts';
import type { DeleteDataResponse as _fairlead_eval_v1_DeleteDataResponse, DeleteDataResponse__Output as _fairlead_eval_v1_DeleteDataResponse__Output } from '../../../fairlead/eval/v1/DeleteDataResponse.ts';
import type { DeleteEvalCaseRequest as _fairlead_eval_v1_DeleteEvalCaseRequest, DeleteEvalCaseRequest__Output as _fairlead_eval_v1_DeleteEvalCaseRequest__Output } from '../../../fairlead/eval/v1/DeleteEvalCaseRequest.ts';
import type { DeleteEvalCaseResponse as _fairlead_eval_v1_DeleteEvalCaseResponse, DeleteEvalCaseResponse__Output as _fairlead_eval_v1_DeleteEvalCaseResponse__Output } from '../../../fairlead/eval/v1/DeleteEvalCaseResponse.ts';
import type { DeleteEvalSetRequest as _fairlead_eval_v1_DeleteEvalSetRequest, DeleteEvalSetRequest__Output as _fairlead_eval_v1_DeleteEvalSetRequest__Output } from '../../../fairlead/eval/v1/DeleteEvalSetRequest.ts';
import type { DeleteEvalSetResponse as _fairlead_eval_v1_DeleteEvalSetResponse, DeleteEvalSetResponse__Output as _fairlead_eval_v1_DeleteEvalSetResponse__Output } from '../../../fairlead/eval/v1/DeleteEvalSetResponse.ts';
import type { GetEvalCaseRequest as _fairlead_eval_v1_GetEvalCaseRequest, GetEvalCaseRequest__Output as _fairlead_eval_v1_GetEvalCaseRequest__Output } from '../../../fairlead/eval/v1/GetEvalCaseRequest.ts';
import type { GetEvalCaseResponse as _fairlead_eval_v1_GetEvalCaseResponse, GetEvalCaseResponse__Output as _fairlead_eval_v1_GetEvalCaseResponse__Output } from '../../../fairlead/eval/v1/GetEvalCaseResponse.ts';
import type { GetEvalSetRequest as _fairlead_eval_v1_GetEvalSetRequest, GetEvalSetRequest__Output as _fairlead_eval_v1_GetEvalSetRequest__Output } from '../../../fairlead/eval/v1/GetEvalSetRequest.ts';
import type { GetEvalSetResponse as _fairlead_eval_v1_GetEvalSetResponse, GetEvalSetResponse__Output as _fairlead_eval_v1_GetEvalSetResponse__Output } from '../../../fairlead/eval/v1/GetEvalSetResponse.ts';
import type { GetEvalSetResultRequest as _fairlead_eval_v1_GetEvalSetResultRequest, GetEvalSetResultRequest__Output as _fairlead_eval_v1_GetEvalSetResultRequest__Output } from '../../../fairlead/eval/v1/GetEvalSetResultRequest.ts';
import type { GetEvalSetResultResponse as _fairlead_eval_v1_GetEvalSetResultResponse, GetEvalSetResultResponse__Output as _fairlead_eval_v1_GetEvalSetResultResponse__Output } from '../../../fairlead/eval/v1/GetEvalSetResultResponse.ts';
import type { ListDataRequest as _fairlead_eval_v1_ListDataRequest, ListDataRequest__Output as _fairlead_eval_v1_ListDataRequest__Output } from '../../../fairlead/eval/v1/ListDataRequest.ts';
import type { ListDataResponse as _fairlead_eval_v1_ListDataResponse, ListDataResponse__Output as _fairlead_eval_v1_ListDataResponse__Output } from '../../../fairlead/eval/v1/ListDataResponse.ts';
import type { ListEvalCasesRequest as _fairlead_eval_v1_ListEvalCasesRequest, ListEvalCasesRequest__Output as _fairlead_eval_v1_ListEvalCasesRequest__Output } from '../../../fairlead/eval/v1/ListEvalCasesRequest.ts';
import type { ListEvalCasesResponse as _fairlead_eval_v1_ListEvalCasesResponse, ListEvalCasesResponse__Output as _fairlead_eval_v1_ListEvalCasesResponse__Output } from '../../../fairlead/eval/v1/ListEvalCasesResponse.ts';
import type { ListEvalSetResultsRequest as _fairlead_eval_v1_ListEvalSetResultsRequest, ListEvalSetResultsRequest__Output as _fairlead_eval_v1_ListEvalSetResultsRequest__Output } from '../../../fairlead/eval/v1/ListEvalSetResultsRequest.ts';
import type { ListEvalSetResultsResponse as _fairlead_eval_v1_ListEvalSetResultsResponse, ListEvalSetResultsResponse__Output as _fairlead_eval_v1_ListEvalSetResultsResponse__Output } from '../../../fairlead/eval/v1/ListEvalSetResultsResponse.ts';
import type { ListEvalSetsRequest as _fairlead_eval_v1_ListEvalSetsRequest, ListEvalSetsRequest__Output as _fairlead_eval_v1_ListEvalSetsRequest__Output } from '../../../fairlead/eval/v1/ListEvalSetsRequest.ts';
import type { ListEvalSetsResponse as _fairlead_eval_v1_ListEvalSetsResponse, ListEvalSetsResponse__Output as _fairlead_eval_v1_ListEvalSetsResponse__Output } from '../../../fairlead/eval/v1/ListEvalSetsResponse.ts';
import type { ReadStoredRequest as _fairlead_eval_v1_ReadStoredRequest, ReadStoredRequest__Output as _fairlead_eval_v1_ReadStoredRequest__Output } from '../../../fairlead/eval/v1/ReadStoredRequest.ts';
import type { ReadStoredResponse as _fairlead_eval_v1_ReadStoredResponse, ReadStoredResponse__Output as _fairlead_eval_v1_ReadStoredResponse__Output } from '../../../fairlead/eval/v1/ReadStoredResponse.ts';
import type { SaveEvalSetResultRequest as _fairlead_eval_v1_SaveEvalSetResultRequest, SaveEvalSetResultRequest__Output as _fairlead_eval_v1_SaveEvalSetResultRequest__Output } from '../../../fairlead/eval/v1/SaveEvalSetResultRequest.ts';
import type { SaveEvalSetResultResponse as _fairlead_eval_v1_SaveEvalSetResultResponse, SaveEvalSetResultResponse__Output as _fairlead_eval_v1_SaveEvalSetResultResponse__Output } from '../../../fairlead/eval/v1/SaveEvalSetResultResponse.ts';
import type { UpdateEvalCaseRequest as _fairlead_eval_v1_UpdateEvalCaseRequest, UpdateEvalCaseRequest__Output as _fairlead_eval_v1_UpdateEvalCaseRequest__Output } from '../../../fairlead/eval/v1/UpdateEvalCaseRequest.ts';
import type { UpdateEvalCaseResponse as _fairlead_eval_v1_UpdateEvalCaseResponse, UpdateEvalCaseResponse__Output as _fairlead_eval_v1_UpdateEvalCaseResponse__Output } from '../../../fairlead/eval/v1/UpdateEvalCaseResponse.ts';

export interface EvalServiceClient extends grpc.Client {
  AddEvalCase(metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_AddEvalCaseResponse__Output>): grpc.ClientWritableStream<_fairlead_eval_v1_AddEvalCaseRequest>;
  AddEvalCase(metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_eval_v1_AddEvalCaseResponse__Output>): grpc.ClientWritableStream<_fairlead_eval_v1_AddEvalCaseRequest>;
  AddEvalCase(options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_AddEvalCaseResponse__Output>): grpc.ClientWritableStream<_fairlead_eval_v1_AddEvalCaseRequest>;
  AddEvalCase(callback: grpc.requestCallback<_fairlead_eval_v1_AddEvalCaseResponse__Output>): grpc.ClientWritableStream<_fairlead_eval_v1_AddEvalCaseRequest>;
  addEvalCase(metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_AddEvalCaseResponse__Output>): grpc.ClientWritableStream<_fairlead_eval_v1_AddEvalCaseRequest>;
  addEvalCase(metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_eval_v1_AddEvalCaseResponse__Output>): grpc.ClientWritableStream<_fairlead_eval_v1_AddEvalCaseRequest>;
  addEvalCase(options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_AddEvalCaseResponse__Output>): grpc.ClientWritableStream<_fairlead_eval_v1_AddEvalCaseRequest>;
  addEvalCase(callback: grpc.requestCallback<_fairlead_eval_v1_AddEvalCaseResponse__Output>): grpc.ClientWritableStream<_fairlead_eval_v1_AddEvalCaseRequest>;
  
  CreateEvalSet(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_fairlead_eval_v1_CreateEvalSetRequest, _fairlead_eval_v1_CreateEvalSetResponse__Output>;
  CreateEvalSet(options?: grpc.CallOptions): grpc.ClientDuplexStream<_fairlead_eval_v1_CreateEvalSetRequest, _fairlead_eval_v1_CreateEvalSetResponse__Output>;
  createEvalSet(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_fairlead_eval_v1_CreateEvalSetRequest, _fairlead_eval_v1_CreateEvalSetResponse__Output>;
  createEvalSet(options?: grpc.CallOptions): grpc.ClientDuplexStream<_fairlead_eval_v1_CreateEvalSetRequest, _fairlead_eval_v1_CreateEvalSetResponse__Output>;
  
  DeleteData(argument: _fairlead_eval_v1_DeleteDataRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_DeleteDataResponse__Output>): grpc.ClientUnaryCall;
  DeleteData(argument: _fairlead_eval_v1_DeleteDataRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_eval_v1_DeleteDataResponse__Output>): grpc.ClientUnaryCall;
  DeleteData(argument: _fairlead_eval_v1_DeleteDataRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_DeleteDataResponse__Output>): grpc.ClientUnaryCall;
  DeleteData(argument: _fairlead_eval_v1_DeleteDataRequest, callback: grpc.requestCallback<_fairlead_eval_v1_DeleteDataResponse__Output>): grpc.ClientUnaryCall;
  deleteData(argument: _fairlead_eval_v1_DeleteDataRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_DeleteDataResponse__Output>): grpc.ClientUnaryCall;
  deleteData(argument: _fairlead_eval_v1_DeleteDataRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_eval_v1_DeleteDataResponse__Output>): grpc.ClientUnaryCall;
  deleteData(argument: _fairlead_eval_v1_DeleteDataRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_DeleteDataResponse__Output>): grpc.ClientUnaryCall;
  deleteData(argument: _fairlead_eval_v1_DeleteDataRequest, callback: grpc.requestCallback<_fairlead_eval_v1_DeleteDataResponse__Output>): grpc.ClientUnaryCall;
  
  DeleteEvalCase(argument: _fairlead_eval_v1_DeleteEvalCaseRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_DeleteEvalCaseResponse__Output>): grpc.ClientUnaryCall;
  DeleteEvalCase(argument: _fairlead_eval_v1_DeleteEvalCaseRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_eval_v1_DeleteEvalCaseResponse__Output>): grpc.ClientUnaryCall;
  DeleteEvalCase(argument: _fairlead_eval_v1_DeleteEvalCaseRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_DeleteEvalCaseResponse__Output>): grpc.ClientUnaryCall;
  DeleteEvalCase(argument: _fairlead_eval_v1_DeleteEvalCaseRequest, callback: grpc.requestCallback<_fairlead_eval_v1_DeleteEvalCaseResponse__Output>): grpc.ClientUnaryCall;
  deleteEvalCase(argument: _fairlead_eval_v1_DeleteEvalCaseRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_DeleteEvalCaseResponse__Output>): grpc.ClientUnaryCall;
  deleteEvalCase(argument: _fairlead_eval_v1_DeleteEvalCaseRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_eval_v1_DeleteEvalCaseResponse__Output>): grpc.ClientUnaryCall;
  deleteEvalCase(argument: _fairlead_eval_v1_DeleteEvalCaseRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_DeleteEvalCaseResponse__Output>): grpc.ClientUnaryCall;
  deleteEvalCase(argument: _fairlead_eval_v1_DeleteEvalCaseRequest, callback: grpc.requestCallback<_fairlead_eval_v1_DeleteEvalCaseResponse__Output>): grpc.ClientUnaryCall;
  
  DeleteEvalSet(argument: _fairlead_eval_v1_DeleteEvalSetRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_DeleteEvalSetResponse__Output>): grpc.ClientUnaryCall;
  DeleteEvalSet(argument: _fairlead_eval_v1_DeleteEvalSetRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_eval_v1_DeleteEvalSetResponse__Output>): grpc.ClientUnaryCall;
  DeleteEvalSet(argument: _fairlead_eval_v1_DeleteEvalSetRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_DeleteEvalSetResponse__Output>): grpc.ClientUnaryCall;
  DeleteEvalSet(argument: _fairlead_eval_v1_DeleteEvalSetRequest, callback: grpc.requestCallback<_fairlead_eval_v1_DeleteEvalSetResponse__Output>): grpc.ClientUnaryCall;
  deleteEvalSet(argument: _fairlead_eval_v1_DeleteEvalSetRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_DeleteEvalSetResponse__Output>): grpc.ClientUnaryCall;
  deleteEvalSet(argument: _fairlead_eval_v1_DeleteEvalSetRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_eval_v1_DeleteEvalSetResponse__Output>): grpc.ClientUnaryCall;
  deleteEvalSet(argument: _fairlead_eval_v1_DeleteEvalSetRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_DeleteEvalSetResponse__Output>): grpc.ClientUnaryCall;
  deleteEvalSet(argument: _fairlead_eval_v1_DeleteEvalSetRequest, callback: grpc.requestCallback<_fairlead_eval_v1_DeleteEvalSetResponse__Output>): grpc.ClientUnaryCall;
  
  GetEvalCase(argument: _fairlead_eval_v1_GetEvalCaseRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_eval_v1_GetEvalCaseResponse__Output>;
  GetEvalCase(argument: _fairlead_eval_v1_GetEvalCaseRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_eval_v1_GetEvalCaseResponse__Output>;
  getEvalCase(argument: _fairlead_eval_v1_GetEvalCaseRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_eval_v1_GetEvalCaseResponse__Output>;
  getEvalCase(argument: _fairlead_eval_v1_GetEvalCaseRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_eval_v1_GetEvalCaseResponse__Output>;
  
  GetEvalSet(argument: _fairlead_eval_v1_GetEvalSetRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_eval_v1_GetEvalSetResponse__Output>;
  GetEvalSet(argument: _fairlead_eval_v1_GetEvalSetRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_eval_v1_GetEvalSetResponse__Output>;
  getEvalSet(argument: _fairlead_eval_v1_GetEvalSetRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_eval_v1_GetEvalSetResponse__Output>;
  getEvalSet(argument: _fairlead_eval_v1_GetEvalSetRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_eval_v1_GetEvalSetResponse__Output>;
  
  GetEvalSetResult(argument: _fairlead_eval_v1_GetEvalSetResultRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_eval_v1_GetEvalSetResultResponse__Output>;
  GetEvalSetResult(argument: _fairlead_eval_v1_GetEvalSetResultRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_eval_v1_GetEvalSetResultResponse__Output>;
  getEvalSetResult(argument: _fairlead_eval_v1_GetEvalSetResultRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_eval_v1_GetEvalSetResultResponse__Output>;
  getEvalSetResult(argument: _fairlead_eval_v1_GetEvalSetResultRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_eval_v1_GetEvalSetResultResponse__Output>;
  
  ListData(argument: _fairlead_eval_v1_ListDataRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_ListDataResponse__Output>): grpc.ClientUnaryCall;
  ListData(argument: _fairlead_eval_v1_ListDataRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_eval_v1_ListDataResponse__Output>): grpc.ClientUnaryCall;
  ListData(argument: _fairlead_eval_v1_ListDataRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_ListDataResponse__Output>): grpc.ClientUnaryCall;
  ListData(argument: _fairlead_eval_v1_ListDataRequest, callback: grpc.requestCallback<_fairlead_eval_v1_ListDataResponse__Output>): grpc.ClientUnaryCall;
  listData(argument: _fairlead_eval_v1_ListDataRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_ListDataResponse__Output>): grpc.ClientUnaryCall;
  listData(argument: _fairlead_eval_v1_ListDataRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_eval_v1_ListDataResponse__Output>): grpc.ClientUnaryCall;
  listData(argument: _fairlead_eval_v1_ListDataRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_ListDataResponse__Output>): grpc.ClientUnaryCall;
  listData(argument: _fairlead_eval_v1_ListDataRequest, callback: grpc.requestCallback<_fairlead_eval_v1_ListDataResponse__Output>): grpc.ClientUnaryCall;
  
  ListEvalCases(argument: _fairlead_eval_v1_ListEvalCasesRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_ListEvalCasesResponse__Output>): grpc.ClientUnaryCall;
  ListEvalCases(argument: _fairlead_eval_v1_ListEvalCasesRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_eval_v1_ListEvalCasesResponse__Output>): grpc.ClientUnaryCall;
  ListEvalCases(argument: _fairlead_eval_v1_ListEvalCasesRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_ListEvalCasesResponse__Output>): grpc.ClientUnaryCall;
  ListEvalCases(argument: _fairlead_eval_v1_ListEvalCasesRequest, callback: grpc.requestCallback<_fairlead_eval_v1_ListEvalCasesResponse__Output>): grpc.ClientUnaryCall;
  listEvalCases(argument: _fairlead_eval_v1_ListEvalCasesRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_ListEvalCasesResponse__Output>): grpc.ClientUnaryCall;
  listEvalCases(argument: _fairlead_eval_v1_ListEvalCasesRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_eval_v1_ListEvalCasesResponse__Output>): grpc.ClientUnaryCall;
  listEvalCases(argument: _fairlead_eval_v1_ListEvalCasesRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_ListEvalCasesResponse__Output>): grpc.ClientUnaryCall;
  listEvalCases(argument: _fairlead_eval_v1_ListEvalCasesRequest, callback: grpc.requestCallback<_fairlead_eval_v1_ListEvalCasesResponse__Output>): grpc.ClientUnaryCall;
  
  ListEvalSetResults(argument: _fairlead_eval_v1_ListEvalSetResultsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_ListEvalSetResultsResponse__Output>): grpc.ClientUnaryCall;
  ListEvalSetResults(argument: _fairlead_eval_v1_ListEvalSetResultsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_eval_v1_ListEvalSetResultsResponse__Output>): grpc.ClientUnaryCall;
  ListEvalSetResults(argument: _fairlead_eval_v1_ListEvalSetResultsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_ListEvalSetResultsResponse__Output>): grpc.ClientUnaryCall;
  ListEvalSetResults(argument: _fairlead_eval_v1_ListEvalSetResultsRequest, callback: grpc.requestCallback<_fairlead_eval_v1_ListEvalSetResultsResponse__Output>): grpc.ClientUnaryCall;
  listEvalSetResults(argument: _fairlead_eval_v1_ListEvalSetResultsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_ListEvalSetResultsResponse__Output>): grpc.ClientUnaryCall;
  listEvalSetResults(argument: _fairlead_eval_v1_ListEvalSetResultsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_eval_v1_ListEvalSetResultsResponse__Output>): grpc.ClientUnaryCall;
  listEvalSetResults(argument: _fairlead_eval_v1_ListEvalSetResultsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_ListEvalSetResultsResponse__Output>): grpc.ClientUnaryCall;
  listEvalSetResults(argument: _fairlead_eval_v1_ListEvalSetResultsRequest, callback: grpc.requestCallback<_fairlead_eval_v1_ListEvalSetResultsResponse__Output>): grpc.ClientUnaryCall;
  
  ListEvalSets(argument: _fairlead_eval_v1_ListEvalSetsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_ListEvalSetsResponse__Output>): grpc.ClientUnaryCall;
  ListEvalSets(argument: _fairlead_eval_v1_ListEvalSetsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_eval_v1_ListEvalSetsResponse__Output>): grpc.ClientUnaryCall;
  ListEvalSets(argument: _fairlead_eval_v1_ListEvalSetsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_ListEvalSetsResponse__Output>): grpc.ClientUnaryCall;
  ListEvalSets(argument: _fairlead_eval_v1_ListEvalSetsRequest, callback: grpc.requestCallback<_fairlead_eval_v1_ListEvalSetsResponse__Output>): grpc.ClientUnaryCall;
  listEvalSets(argument: _fairlead_eval_v1_ListEvalSetsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_ListEvalSetsResponse__Output>): grpc.ClientUnaryCall;
  listEvalSets(argument: _fairlead_eval_v1_ListEvalSetsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_eval_v1_ListEvalSetsResponse__Output>): grpc.ClientUnaryCall;
  listEvalSets(argument: _fairlead_eval_v1_ListEvalSetsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_ListEvalSetsResponse__Output>): grpc.ClientUnaryCall;
  listEvalSets(argument: _fairlead_eval_v1_ListEvalSetsRequest, callback: grpc.requestCallback<_fairlead_eval_v1_ListEvalSetsResponse__Output>): grpc.ClientUnaryCall;
  
  ReadStored(argument: _fairlead_eval_v1_ReadStoredRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_ReadStoredResponse__Output>): grpc.ClientUnaryCall;
  ReadStored(argument: _fairlead_eval_v1_ReadStoredRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_eval_v1_ReadStoredResponse__Output>): grpc.ClientUnaryCall;
  ReadStored(argument: _fairlead_eval_v1_ReadStoredRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_ReadStoredResponse__Output>): grpc.ClientUnaryCall;
  ReadStored(argument: _fairlead_eval_v1_ReadStoredRequest, callback: grpc.requestCallback<_fairlead_eval_v1_ReadStoredResponse__Output>): grpc.ClientUnaryCall;
  readStored(argument: _fairlead_eval_v1_ReadStoredRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_ReadStoredResponse__Output>): grpc.ClientUnaryCall;
  readStored(argument: _fairlead_eval_v1_ReadStoredRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_eval_v1_ReadStoredResponse__Output>): grpc.ClientUnaryCall;
  readStored(argument: _fairlead_eval_v1_ReadStoredRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_ReadStoredResponse__Output>): grpc.ClientUnaryCall;
  readStored(argument: _fairlead_eval_v1_ReadStoredRequest, callback: grpc.requestCallback<_fairlead_eval_v1_ReadStoredResponse__Output>): grpc.ClientUnaryCall;
  
  SaveEvalSetResult(metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_SaveEvalSetResultResponse__Output>): grpc.ClientWritableStream<_fairlead_eval_v1_SaveEvalSetResultRequest>;
  SaveEvalSetResult(metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_eval_v1_SaveEvalSetResultResponse__Output>): grpc.ClientWritableStream<_fairlead_eval_v1_SaveEvalSetResultRequest>;
  SaveEvalSetResult(options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_SaveEvalSetResultResponse__Output>): grpc.ClientWritableStream<_fairlead_eval_v1_SaveEvalSetResultRequest>;
  SaveEvalSetResult(callback: grpc.requestCallback<_fairlead_eval_v1_SaveEvalSetResultResponse__Output>): grpc.ClientWritableStream<_fairlead_eval_v1_SaveEvalSetResultRequest>;
  saveEvalSetResult(metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_SaveEvalSetResultResponse__Output>): grpc.ClientWritableStream<_fairlead_eval_v1_SaveEvalSetResultRequest>;
  saveEvalSetResult(metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_eval_v1_SaveEvalSetResultResponse__Output>): grpc.ClientWritableStream<_fairlead_eval_v1_SaveEvalSetResultRequest>;
  saveEvalSetResult(options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_SaveEvalSetResultResponse__Output>): grpc.ClientWritableStream<_fairlead_eval_v1_SaveEvalSetResultRequest>;
  saveEvalSetResult(callback: grpc.requestCallback<_fairlead_eval_v1_SaveEvalSetResultResponse__Output>): grpc.ClientWritableStream<_fairlead_eval_v1_SaveEvalSetResultRequest>;
  
  UpdateEvalCase(metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_UpdateEvalCaseResponse__Output>): grpc.ClientWritableStream<_fairlead_eval_v1_UpdateEvalCaseRequest>;
  UpdateEvalCase(metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_eval_v1_UpdateEvalCaseResponse__Output>): grpc.ClientWritableStream<_fairlead_eval_v1_UpdateEvalCaseRequest>;
  UpdateEvalCase(options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_UpdateEvalCaseResponse__Output>): grpc.ClientWritableStream<_fairlead_eval_v1_UpdateEvalCaseRequest>;
  UpdateEvalCase(callback: grpc.requestCallback<_fairlead_eval_v1_UpdateEvalCaseResponse__Output>): grpc.ClientWritableStream<_fairlead_eval_v1_UpdateEvalCaseRequest>;
  updateEvalCase(metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_UpdateEvalCaseResponse__Output>): grpc.ClientWritableStream<_fairlead_eval_v1_UpdateEvalCaseRequest>;
  updateEvalCase(metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_eval_v1_UpdateEvalCaseResponse__Output>): grpc.ClientWritableStream<_fairlead_eval_v1_UpdateEvalCaseRequest>;
  updateEvalCase(options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_UpdateEvalCaseResponse__Output>): grpc.ClientWritableStream<_fairlead_eval_v1_UpdateEvalCaseRequest>;
  updateEvalCase(callback: grpc.requestCallback<_fairlead_eval_v1_UpdateEvalCaseResponse__Output>): grpc.ClientWritableStream<_fairlead_eval_v1_UpdateEvalCaseRequest>;
  
}

export interface EvalServiceHandlers extends grpc.UntypedServiceImplementation {
  AddEvalCase: grpc.handleClientStreamingCall<_fairlead_eval_v1_AddEvalCaseRequest__Output, _fairlead_eval_v1_AddEvalCaseResponse>;
  
  CreateEvalSet: grpc.handleBidiStreamingCall<_fairlead_eval_v1_CreateEvalSetRequest__Output, _fairlead_eval_v1_CreateEvalSetResponse>;
  
  DeleteData: grpc.handleUnaryCall<_fairlead_eval_v1_DeleteDataRequest__Output, _fairlead_eval_v1_DeleteDataResponse>;
  
  DeleteEvalCase: grpc.handleUnaryCall<_fairlead_eval_v1_DeleteEvalCaseRequest__Output, _fairlead_eval_v1_DeleteEvalCaseResponse>;
  
  DeleteEvalSet: grpc.handleUnaryCall<_fairlead_eval_v1_DeleteEvalSetRequest__Output, _fairlead_eval_v1_DeleteEvalSetResponse>;
  
  GetEvalCase: grpc.handleServerStreamingCall<_fairlead_eval_v1_GetEvalCaseRequest__Output, _fairlead_eval_v1_GetEvalCaseResponse>;
  
  GetEvalSet: grpc.handleServerStreamingCall<_fairlead_eval_v1_GetEvalSetRequest__Output, _fairlead_eval_v1_GetEvalSetResponse>;
  
  GetEvalSetResult: grpc.handleServerStreamingCall<_fairlead_eval_v1_GetEvalSetResultRequest__Output, _fairlead_eval_v1_GetEvalSetResultResponse>;
  
  ListData: grpc.handleUnaryCall<_fairlead_eval_v1_ListDataRequest__Output, _fairlead_eval_v1_ListDataResponse>;
  
  ListEvalCases: grpc.handleUnaryCall<_fairlead_eval_v1_ListEvalCasesRequest__Output, _fairlead_eval_v1_ListEvalCasesResponse>;
  
  ListEvalSetResults: grpc.handleUnaryCall<_fairlead_eval_v1_ListEvalSetResultsRequest__Output, _fairlead_eval_v1_ListEvalSetResultsResponse>;
  
  ListEvalSets: grpc.handleUnaryCall<_fairlead_eval_v1_ListEvalSetsRequest__Output, _fairlead_eval_v1_ListEvalSetsResponse>;
  
  ReadStored: grpc.handleUnaryCall<_fairlead_eval_v1_ReadStoredRequest__Output, _fairlead_eval_v1_ReadStoredResponse>;
  
  SaveEvalSetResult: grpc.handleClientStreamingCall<_fairlead_eval_v1_SaveEvalSetResultRequest__Output, _fairlead_eval_v1_SaveEvalSetResultResponse>;
  
  UpdateEvalCase: grpc.handleClientStreamingCall<_fairlead_eval_v1_UpdateEvalCaseRequest__Output, _fairlead_eval_v1_UpdateEvalCaseResponse>;
  
}

export interface EvalServiceDefinition extends grpc.ServiceDefinition {
  AddEvalCase: MethodDefinition<_fairlead_eval_v1_AddEvalCaseRequest, _fairlead_eval_v1_AddEvalCaseResponse, _fairlead_eval_v1_AddEvalCaseRequest__Output, _fairlead_eval_v1_AddEvalCaseResponse__Output>
  CreateEvalSet: MethodDefinition<_fairlead_eval_v1_CreateEvalSetRequest, _fairlead_eval_v1_CreateEvalSetResponse, _fairlead_eval_v1_CreateEvalSetRequest__Output, _fairlead_eval_v1_CreateEvalSetResponse__Output>
  DeleteData: MethodDefinition<_fairlead_eval_v1_DeleteDataRequest, _fairlead_eval_v1_DeleteDataResponse, _fairlead_eval_v1_DeleteDataRequest__Output, _fairlead_eval_v1_DeleteDataResponse__Output>
  DeleteEvalCase: MethodDefinition<_fairlead_eval_v1_DeleteEvalCaseRequest, _fairlead_eval_v1_DeleteEvalCaseResponse, _fairlead_eval_v1_DeleteEvalCaseRequest__Output, _fairlead_eval_v1_DeleteEvalCaseResponse__Output>
  DeleteEvalSet: MethodDefinition<_fairlead_eval_v1_DeleteEvalSetRequest, _fairlead_eval_v1_DeleteEvalSetResponse, _fairlead_eval_v1_DeleteEvalSetRequest__Output, _fairlead_eval_v1_DeleteEvalSetResponse__Output>
  GetEvalCase: MethodDefinition<_fairlead_eval_v1_GetEvalCaseRequest, _fairlead_eval_v1_GetEvalCaseResponse, _fairlead_eval_v1_GetEvalCaseRequest__Output, _fairlead_eval_v1_GetEvalCaseResponse__Output>
  GetEvalSet: MethodDefinition<_fairlead_eval_v1_GetEvalSetRequest, _fairlead_eval_v1_GetEvalSetResponse, _fairlead_eval_v1_GetEvalSetRequest__Output, _fairlead_eval_v1_GetEvalSetResponse__Output>
  GetEvalSetResult: MethodDefinition<_fairlead_eval_v1_GetEvalSetResultRequest, _fairlead_eval_v1_GetEvalSetResultResponse, _fairlead_eval_v1_GetEvalSetResultRequest__Output, _fairlead_eval_v1_GetEvalSetResultResponse__Output>
  ListData: MethodDefinition<_fairlead_eval_v1_ListDataRequest, _fairlead_eval_v1_ListDataResponse, _fairlead_eval_v1_ListDataRequest__Output, _fairlead_eval_v1_ListDataResponse__Output>
  ListEvalCases: MethodDefinition<_fairlead_eval_v1_ListEvalCasesRequest, _fairlead_eval_v1_ListEvalCasesResponse, _fairlead_eval_v1_ListEvalCasesRequest__Output, _fairlead_eval_v1_ListEvalCasesResponse__Output>
  ListEvalSetResults: MethodDefinition<_fairlead_eval_v1_ListEvalSetResultsRequest, _fairlead_eval_v1_ListEvalSetResultsResponse, _fairlead_eval_v1_ListEvalSetResultsRequest__Output, _fairlead_eval_v1_ListEvalSetResultsResponse__Output>
  ListEvalSets: MethodDefinition<_fairlead_eval_v1_ListEvalSetsRequest, _fairlead_eval_v1_ListEvalSetsResponse, _fairlead_eval_v1_ListEvalSetsRequest__Output, _fairlead_eval_v1_ListEvalSetsResponse__Output>
  ReadStored: MethodDefinition<_fairlead_eval_v1_ReadStoredRequest, _fairlead_eval_v1_ReadStoredResponse, _fairlead_eval_v1_ReadStoredRequest__Output, _fairlead_eval_v1_ReadStoredResponse__Output>
  SaveEvalSetResult: MethodDefinition<_fairlead_eval_v1_SaveEvalSetResultRequest, _fairlead_eval_v1_SaveEvalSetResultResponse, _fairlead_eval_v1_SaveEvalSetResultRequest__Output, _fairlead_eval_v1_SaveEvalSetResultResponse__Output>
  UpdateEvalCase: MethodDefinition<_fairlead_eval_v1_UpdateEvalCaseRequest, _fairlead_eval_v1_UpdateEvalCaseResponse, _fairlead_eval_v1_UpdateEvalCaseRequest__Output, _fairlead_eval_v1_UpdateEvalCaseResponse__Output>
}
