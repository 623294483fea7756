// Original file: fairlead/eval/v1/eval_service.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { AddEvalCaseRequest as _fairlead_eval_v1_AddEvalCaseRequest, AddEvalCaseRequest__Output as _fairlead_eval_v1_AddEvalCaseRequest__Output } from '../../../fairlead/eval/v1/AddEvalCaseRequest.ts';
import type { AddEvalCaseResponse as _fairlead_eval_v1_AddEvalCaseResponse, AddEvalCaseResponse__Output as _fairlead_eval_v1_AddEvalCaseResponse__Output } from '../../../fairlead/eval/v1/AddEvalCaseResponse.ts';
import type { CancelEvaluationRequest as _fairlead_eval_v1_CancelEvaluationRequest, CancelEvaluationRequest__Output as _fairlead_eval_v1_CancelEvaluationRequest__Output } from '../../../fairlead/eval/v1/CancelEvaluationRequest.ts';
import type { CancelEvaluationResponse as _fairlead_eval_v1_CancelEvaluationResponse, CancelEvaluationResponse__Output as _fairlead_eval_v1_CancelEvaluationResponse__Output } from '../../../fairlead/eval/v1/CancelEvaluationResponse.ts';
import type { CreateEvalSetRequest as _fairlead_eval_v1_CreateEvalSetRequest, CreateEvalSetRequest__Output as _fairlead_eval_v1_CreateEvalSetRequest__Output } from '../../../fairlead/eval/v1/CreateEvalSetRequest.ts';
import type { CreateEvalSetResponse as _fairlead_eval_v1_CreateEvalSetResponse, CreateEvalSetResponse__Output as _fairlead_eval_v1_CreateEvalSetResponse__Output } from '../../../fairlead/eval/v1/CreateEvalSetResponse.ts';
import type { DeleteDataRequest as _fairlead_eval_v1_DeleteDataRequest, DeleteDataRequest__Output as _fairlead_eval_v1_DeleteDataRequest__Output } from '../../../fairlead/eval/v1/DeleteDataRequest.ts';
import type { DeleteDataResponse as _fairlead_eval_v1_DeleteDataResponse, DeleteDataResponse__Output as _fairlead_eval_v1_DeleteDataResponse__Output } from '../../../fairlead/eval/v1/DeleteDataResponse.ts';
import type { DeleteEvalCaseRequest as _fairlead_eval_v1_DeleteEvalCaseRequest, DeleteEvalCaseRequest__Output as _fairlead_eval_v1_DeleteEvalCaseRequest__Output } from '../../../fairlead/eval/v1/DeleteEvalCaseRequest.ts';
import type { DeleteEvalCaseResponse as _fairlead_eval_v1_DeleteEvalCaseResponse, DeleteEvalCaseResponse__Output as _fairlead_eval_v1_DeleteEvalCaseResponse__Output } from '../../../fairlead/eval/v1/DeleteEvalCaseResponse.ts';
import type { DeleteEvalSetRequest as _fairlead_eval_v1_DeleteEvalSetRequest, DeleteEvalSetRequest__Output as _fairlead_eval_v1_DeleteEvalSetRequest__Output } from '../../../fairlead/eval/v1/DeleteEvalSetRequest.ts';
import type { DeleteEvalSetResponse as _fairlead_eval_v1_DeleteEvalSetResponse, DeleteEvalSetResponse__Output as _fairlead_eval_v1_DeleteEvalSetResponse__Output } from '../../../fairlead/eval/v1/DeleteEvalSetResponse.ts';
import type { DeleteEvaluationDataRequest as _fairlead_eval_v1_DeleteEvaluationDataRequest, DeleteEvaluationDataRequest__Output as _fairlead_eval_v1_DeleteEvaluationDataRequest__Output } from '../../../fairlead/eval/v1/DeleteEvaluationDataRequest.ts';
import type { DeleteEvaluationDataResponse as _fairlead_eval_v1_DeleteEvaluationDataResponse, DeleteEvaluationDataResponse__Output as _fairlead_eval_v1_DeleteEvaluationDataResponse__Output } from '../../../fairlead/eval/v1/DeleteEvaluationDataResponse.ts';
import type { DeleteOldDataRequest as _fairlead_eval_v1_DeleteOldDataRequest, DeleteOldDataRequest__Output as _fairlead_eval_v1_DeleteOldDataRequest__Output } from '../../../fairlead/eval/v1/DeleteOldDataRequest.ts';
import type { DeleteOldDataResponse as _fairlead_eval_v1_DeleteOldDataResponse, DeleteOldDataResponse__Output as _fairlead_eval_v1_DeleteOldDataResponse__Output } from '../../../fairlead/eval/v1/DeleteOldDataResponse.ts';
import type { DescribeEvaluationsRequest as _fairlead_eval_v1_DescribeEvaluationsRequest, DescribeEvaluationsRequest__Output as _fairlead_eval_v1_DescribeEvaluationsRequest__Output } from '../../../fairlead/eval/v1/DescribeEvaluationsRequest.ts';
import type { DescribeEvaluationsResponse as _fairlead_eval_v1_DescribeEvaluationsResponse, DescribeEvaluationsResponse__Output as _fairlead_eval_v1_DescribeEvaluationsResponse__Output } from '../../../fairlead/eval/v1/DescribeEvaluationsResponse.ts';
import type { GetEvalCaseRequest as _fairlead_eval_v1_GetEvalCaseRequest, GetEvalCaseRequest__Output as _fairlead_eval_v1_GetEvalCaseRequest__Output } from '../../../fairlead/eval/v1/GetEvalCaseRequest.ts';
import type { GetEvalCaseResponse as _fairlead_eval_v1_GetEvalCaseResponse, GetEvalCaseResponse__Output as _fairlead_eval_v1_GetEvalCaseResponse__Output } from '../../../fairlead/eval/v1/GetEvalCaseResponse.ts';
import type { GetEvalSetRequest as _fairlead_eval_v1_GetEvalSetRequest, GetEvalSetRequest__Output as _fairlead_eval_v1_GetEvalSetRequest__Output } from '../../../fairlead/eval/v1/GetEvalSetRequest.ts';
import type { GetEvalSetResponse as _fairlead_eval_v1_GetEvalSetResponse, GetEvalSetResponse__Output as _fairlead_eval_v1_GetEvalSetResponse__Output } from '../../../fairlead/eval/v1/GetEvalSetResponse.ts';
import type { GetEvalSetResultRequest as _fairlead_eval_v1_GetEvalSetResultRequest, GetEvalSetResultRequest__Output as _fairlead_eval_v1_GetEvalSetResultRequest__Output } from '../../../fairlead/eval/v1/GetEvalSetResultRequest.ts';
import type { GetEvalSetResultResponse as _fairlead_eval_v1_GetEvalSetResultResponse, GetEvalSetResultResponse__Output as _fairlead_eval_v1_GetEvalSetResultResponse__Output } from '../../../fairlead/eval/v1/GetEvalSetResultResponse.ts';
import type { GetEvaluationRequest as _fairlead_eval_v1_GetEvaluationRequest, GetEvaluationRequest__Output as _fairlead_eval_v1_GetEvaluationRequest__Output } from '../../../fairlead/eval/v1/GetEvaluationRequest.ts';
import type { GetEvaluationResponse as _fairlead_eval_v1_GetEvaluationResponse, GetEvaluationResponse__Output as _fairlead_eval_v1_GetEvaluationResponse__Output } from '../../../fairlead/eval/v1/GetEvaluationResponse.ts';
import type { ListDataRequest as _fairlead_eval_v1_ListDataRequest, ListDataRequest__Output as _fairlead_eval_v1_ListDataRequest__Output } from '../../../fairlead/eval/v1/ListDataRequest.ts';
import type { ListDataResponse as _fairlead_eval_v1_ListDataResponse, ListDataResponse__Output as _fairlead_eval_v1_ListDataResponse__Output } from '../../../fairlead/eval/v1/ListDataResponse.ts';
import type { ListEvalCasesRequest as _fairlead_eval_v1_ListEvalCasesRequest, ListEvalCasesRequest__Output as _fairlead_eval_v1_ListEvalCasesRequest__Output } from '../../../fairlead/eval/v1/ListEvalCasesRequest.ts';
import type { ListEvalCasesResponse as _fairlead_eval_v1_ListEvalCasesResponse, ListEvalCasesResponse__Output as _fairlead_eval_v1_ListEvalCasesResponse__Output } from '../../../fairlead/eval/v1/ListEvalCasesResponse.ts';
import type { ListEvalSetResultsRequest as _fairlead_eval_v1_ListEvalSetResultsRequest, ListEvalSetResultsRequest__Output as _fairlead_eval_v1_ListEvalSetResultsRequest__Output } from '../../../fairlead/eval/v1/ListEvalSetResultsRequest.ts';
import type { ListEvalSetResultsResponse as _fairlead_eval_v1_ListEvalSetResultsResponse, ListEvalSetResultsResponse__Output as _fairlead_eval_v1_ListEvalSetResultsResponse__Output } from '../../../fairlead/eval/v1/ListEvalSetResultsResponse.ts';
import type { ListEvalSetsRequest as _fairlead_eval_v1_ListEvalSetsRequest, ListEvalSetsRequest__Output as _fairlead_eval_v1_ListEvalSetsRequest__Output } from '../../../fairlead/eval/v1/ListEvalSetsRequest.ts';
import type { ListEvalSetsResponse as _fairlead_eval_v1_ListEvalSetsResponse, ListEvalSetsResponse__Output as _fairlead_eval_v1_ListEvalSetsResponse__Output } from '../../../fairlead/eval/v1/ListEvalSetsResponse.ts';
import type { ListEvaluationCasesRequest as _fairlead_eval_v1_ListEvaluationCasesRequest, ListEvaluationCasesRequest__Output as _fairlead_eval_v1_ListEvaluationCasesRequest__Output } from '../../../fairlead/eval/v1/ListEvaluationCasesRequest.ts';
import type { ListEvaluationCasesResponse as _fairlead_eval_v1_ListEvaluationCasesResponse, ListEvaluationCasesResponse__Output as _fairlead_eval_v1_ListEvaluationCasesResponse__Output } from '../../../fairlead/eval/v1/ListEvaluationCasesResponse.ts';
import type { ListEvaluationDataRequest as _fairlead_eval_v1_ListEvaluationDataRequest, ListEvaluationDataRequest__Output as _fairlead_eval_v1_ListEvaluationDataRequest__Output } from '../../../fairlead/eval/v1/ListEvaluationDataRequest.ts';
import type { ListEvaluationDataResponse as _fairlead_eval_v1_ListEvaluationDataResponse, ListEvaluationDataResponse__Output as _fairlead_eval_v1_ListEvaluationDataResponse__Output } from '../../../fairlead/eval/v1/ListEvaluationDataResponse.ts';
import type { ListEvaluationResultsRequest as _fairlead_eval_v1_ListEvaluationResultsRequest, ListEvaluationResultsRequest__Output as _fairlead_eval_v1_ListEvaluationResultsRequest__Output } from '../../../fairlead/eval/v1/ListEvaluationResultsRequest.ts';
import type { ListEvaluationResultsResponse as _fairlead_eval_v1_ListEvaluationResultsResponse, ListEvaluationResultsResponse__Output as _fairlead_eval_v1_ListEvaluationResultsResponse__Output } from '../../../fairlead/eval/v1/ListEvaluationResultsResponse.ts';
import type { ListEvaluationsRequest as _fairlead_eval_v1_ListEvaluationsRequest, ListEvaluationsRequest__Output as _fairlead_eval_v1_ListEvaluationsRequest__Output } from '../../../fairlead/eval/v1/ListEvaluationsRequest.ts';
import type { ListEvaluationsResponse as _fairlead_eval_v1_ListEvaluationsResponse, ListEvaluationsResponse__Output as _fairlead_eval_v1_ListEvaluationsResponse__Output } from '../../../fairlead/eval/v1/ListEvaluationsResponse.ts';
import type { ListOldDataRequest as _fairlead_eval_v1_ListOldDataRequest, ListOldDataRequest__Output as _fairlead_eval_v1_ListOldDataRequest__Output } from '../../../fairlead/eval/v1/ListOldDataRequest.ts';
import type { ListOldDataResponse as _fairlead_eval_v1_ListOldDataResponse, ListOldDataResponse__Output as _fairlead_eval_v1_ListOldDataResponse__Output } from '../../../fairlead/eval/v1/ListOldDataResponse.ts';
import type { ReadStoredRequest as _fairlead_eval_v1_ReadStoredRequest, ReadStoredRequest__Output as _fairlead_eval_v1_ReadStoredRequest__Output } from '../../../fairlead/eval/v1/ReadStoredRequest.ts';
import type { ReadStoredResponse as _fairlead_eval_v1_ReadStoredResponse, ReadStoredResponse__Output as _fairlead_eval_v1_ReadStoredResponse__Output } from '../../../fairlead/eval/v1/ReadStoredResponse.ts';
import type { SaveEvalSetResultRequest as _fairlead_eval_v1_SaveEvalSetResultRequest, SaveEvalSetResultRequest__Output as _fairlead_eval_v1_SaveEvalSetResultRequest__Output } from '../../../fairlead/eval/v1/SaveEvalSetResultRequest.ts';
import type { SaveEvalSetResultResponse as _fairlead_eval_v1_SaveEvalSetResultResponse, SaveEvalSetResultResponse__Output as _fairlead_eval_v1_SaveEvalSetResultResponse__Output } from '../../../fairlead/eval/v1/SaveEvalSetResultResponse.ts';
import type { StartEvaluationRequest as _fairlead_eval_v1_StartEvaluationRequest, StartEvaluationRequest__Output as _fairlead_eval_v1_StartEvaluationRequest__Output } from '../../../fairlead/eval/v1/StartEvaluationRequest.ts';
import type { StartEvaluationResponse as _fairlead_eval_v1_StartEvaluationResponse, StartEvaluationResponse__Output as _fairlead_eval_v1_StartEvaluationResponse__Output } from '../../../fairlead/eval/v1/StartEvaluationResponse.ts';
import type { UpdateEvalCaseRequest as _fairlead_eval_v1_UpdateEvalCaseRequest, UpdateEvalCaseRequest__Output as _fairlead_eval_v1_UpdateEvalCaseRequest__Output } from '../../../fairlead/eval/v1/UpdateEvalCaseRequest.ts';
import type { UpdateEvalCaseResponse as _fairlead_eval_v1_UpdateEvalCaseResponse, UpdateEvalCaseResponse__Output as _fairlead_eval_v1_UpdateEvalCaseResponse__Output } from '../../../fairlead/eval/v1/UpdateEvalCaseResponse.ts';
import type { WatchEvaluationRequest as _fairlead_eval_v1_WatchEvaluationRequest, WatchEvaluationRequest__Output as _fairlead_eval_v1_WatchEvaluationRequest__Output } from '../../../fairlead/eval/v1/WatchEvaluationRequest.ts';
import type { WatchEvaluationResponse as _fairlead_eval_v1_WatchEvaluationResponse, WatchEvaluationResponse__Output as _fairlead_eval_v1_WatchEvaluationResponse__Output } from '../../../fairlead/eval/v1/WatchEvaluationResponse.ts';

export interface EvalServiceClient extends grpc.Client {
  AddEvalCase(metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_AddEvalCaseResponse__Output>): grpc.ClientWritableStream<_fairlead_eval_v1_AddEvalCaseRequest>;
  AddEvalCase(metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_eval_v1_AddEvalCaseResponse__Output>): grpc.ClientWritableStream<_fairlead_eval_v1_AddEvalCaseRequest>;
  AddEvalCase(options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_AddEvalCaseResponse__Output>): grpc.ClientWritableStream<_fairlead_eval_v1_AddEvalCaseRequest>;
  AddEvalCase(callback: grpc.requestCallback<_fairlead_eval_v1_AddEvalCaseResponse__Output>): grpc.ClientWritableStream<_fairlead_eval_v1_AddEvalCaseRequest>;
  addEvalCase(metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_AddEvalCaseResponse__Output>): grpc.ClientWritableStream<_fairlead_eval_v1_AddEvalCaseRequest>;
  addEvalCase(metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_eval_v1_AddEvalCaseResponse__Output>): grpc.ClientWritableStream<_fairlead_eval_v1_AddEvalCaseRequest>;
  addEvalCase(options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_AddEvalCaseResponse__Output>): grpc.ClientWritableStream<_fairlead_eval_v1_AddEvalCaseRequest>;
  addEvalCase(callback: grpc.requestCallback<_fairlead_eval_v1_AddEvalCaseResponse__Output>): grpc.ClientWritableStream<_fairlead_eval_v1_AddEvalCaseRequest>;
  
  CancelEvaluation(argument: _fairlead_eval_v1_CancelEvaluationRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_eval_v1_CancelEvaluationResponse__Output>;
  CancelEvaluation(argument: _fairlead_eval_v1_CancelEvaluationRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_eval_v1_CancelEvaluationResponse__Output>;
  cancelEvaluation(argument: _fairlead_eval_v1_CancelEvaluationRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_eval_v1_CancelEvaluationResponse__Output>;
  cancelEvaluation(argument: _fairlead_eval_v1_CancelEvaluationRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_eval_v1_CancelEvaluationResponse__Output>;
  
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
  
  DeleteEvaluationData(argument: _fairlead_eval_v1_DeleteEvaluationDataRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_DeleteEvaluationDataResponse__Output>): grpc.ClientUnaryCall;
  DeleteEvaluationData(argument: _fairlead_eval_v1_DeleteEvaluationDataRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_eval_v1_DeleteEvaluationDataResponse__Output>): grpc.ClientUnaryCall;
  DeleteEvaluationData(argument: _fairlead_eval_v1_DeleteEvaluationDataRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_DeleteEvaluationDataResponse__Output>): grpc.ClientUnaryCall;
  DeleteEvaluationData(argument: _fairlead_eval_v1_DeleteEvaluationDataRequest, callback: grpc.requestCallback<_fairlead_eval_v1_DeleteEvaluationDataResponse__Output>): grpc.ClientUnaryCall;
  deleteEvaluationData(argument: _fairlead_eval_v1_DeleteEvaluationDataRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_DeleteEvaluationDataResponse__Output>): grpc.ClientUnaryCall;
  deleteEvaluationData(argument: _fairlead_eval_v1_DeleteEvaluationDataRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_eval_v1_DeleteEvaluationDataResponse__Output>): grpc.ClientUnaryCall;
  deleteEvaluationData(argument: _fairlead_eval_v1_DeleteEvaluationDataRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_DeleteEvaluationDataResponse__Output>): grpc.ClientUnaryCall;
  deleteEvaluationData(argument: _fairlead_eval_v1_DeleteEvaluationDataRequest, callback: grpc.requestCallback<_fairlead_eval_v1_DeleteEvaluationDataResponse__Output>): grpc.ClientUnaryCall;
  
  DeleteOldData(argument: _fairlead_eval_v1_DeleteOldDataRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_DeleteOldDataResponse__Output>): grpc.ClientUnaryCall;
  DeleteOldData(argument: _fairlead_eval_v1_DeleteOldDataRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_eval_v1_DeleteOldDataResponse__Output>): grpc.ClientUnaryCall;
  DeleteOldData(argument: _fairlead_eval_v1_DeleteOldDataRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_DeleteOldDataResponse__Output>): grpc.ClientUnaryCall;
  DeleteOldData(argument: _fairlead_eval_v1_DeleteOldDataRequest, callback: grpc.requestCallback<_fairlead_eval_v1_DeleteOldDataResponse__Output>): grpc.ClientUnaryCall;
  deleteOldData(argument: _fairlead_eval_v1_DeleteOldDataRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_DeleteOldDataResponse__Output>): grpc.ClientUnaryCall;
  deleteOldData(argument: _fairlead_eval_v1_DeleteOldDataRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_eval_v1_DeleteOldDataResponse__Output>): grpc.ClientUnaryCall;
  deleteOldData(argument: _fairlead_eval_v1_DeleteOldDataRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_DeleteOldDataResponse__Output>): grpc.ClientUnaryCall;
  deleteOldData(argument: _fairlead_eval_v1_DeleteOldDataRequest, callback: grpc.requestCallback<_fairlead_eval_v1_DeleteOldDataResponse__Output>): grpc.ClientUnaryCall;
  
  DescribeEvaluations(argument: _fairlead_eval_v1_DescribeEvaluationsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_DescribeEvaluationsResponse__Output>): grpc.ClientUnaryCall;
  DescribeEvaluations(argument: _fairlead_eval_v1_DescribeEvaluationsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_eval_v1_DescribeEvaluationsResponse__Output>): grpc.ClientUnaryCall;
  DescribeEvaluations(argument: _fairlead_eval_v1_DescribeEvaluationsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_DescribeEvaluationsResponse__Output>): grpc.ClientUnaryCall;
  DescribeEvaluations(argument: _fairlead_eval_v1_DescribeEvaluationsRequest, callback: grpc.requestCallback<_fairlead_eval_v1_DescribeEvaluationsResponse__Output>): grpc.ClientUnaryCall;
  describeEvaluations(argument: _fairlead_eval_v1_DescribeEvaluationsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_DescribeEvaluationsResponse__Output>): grpc.ClientUnaryCall;
  describeEvaluations(argument: _fairlead_eval_v1_DescribeEvaluationsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_eval_v1_DescribeEvaluationsResponse__Output>): grpc.ClientUnaryCall;
  describeEvaluations(argument: _fairlead_eval_v1_DescribeEvaluationsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_DescribeEvaluationsResponse__Output>): grpc.ClientUnaryCall;
  describeEvaluations(argument: _fairlead_eval_v1_DescribeEvaluationsRequest, callback: grpc.requestCallback<_fairlead_eval_v1_DescribeEvaluationsResponse__Output>): grpc.ClientUnaryCall;
  
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
  
  GetEvaluation(argument: _fairlead_eval_v1_GetEvaluationRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_eval_v1_GetEvaluationResponse__Output>;
  GetEvaluation(argument: _fairlead_eval_v1_GetEvaluationRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_eval_v1_GetEvaluationResponse__Output>;
  getEvaluation(argument: _fairlead_eval_v1_GetEvaluationRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_eval_v1_GetEvaluationResponse__Output>;
  getEvaluation(argument: _fairlead_eval_v1_GetEvaluationRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_eval_v1_GetEvaluationResponse__Output>;
  
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
  
  ListEvaluationCases(argument: _fairlead_eval_v1_ListEvaluationCasesRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_eval_v1_ListEvaluationCasesResponse__Output>;
  ListEvaluationCases(argument: _fairlead_eval_v1_ListEvaluationCasesRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_eval_v1_ListEvaluationCasesResponse__Output>;
  listEvaluationCases(argument: _fairlead_eval_v1_ListEvaluationCasesRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_eval_v1_ListEvaluationCasesResponse__Output>;
  listEvaluationCases(argument: _fairlead_eval_v1_ListEvaluationCasesRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_eval_v1_ListEvaluationCasesResponse__Output>;
  
  ListEvaluationData(argument: _fairlead_eval_v1_ListEvaluationDataRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_ListEvaluationDataResponse__Output>): grpc.ClientUnaryCall;
  ListEvaluationData(argument: _fairlead_eval_v1_ListEvaluationDataRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_eval_v1_ListEvaluationDataResponse__Output>): grpc.ClientUnaryCall;
  ListEvaluationData(argument: _fairlead_eval_v1_ListEvaluationDataRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_ListEvaluationDataResponse__Output>): grpc.ClientUnaryCall;
  ListEvaluationData(argument: _fairlead_eval_v1_ListEvaluationDataRequest, callback: grpc.requestCallback<_fairlead_eval_v1_ListEvaluationDataResponse__Output>): grpc.ClientUnaryCall;
  listEvaluationData(argument: _fairlead_eval_v1_ListEvaluationDataRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_ListEvaluationDataResponse__Output>): grpc.ClientUnaryCall;
  listEvaluationData(argument: _fairlead_eval_v1_ListEvaluationDataRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_eval_v1_ListEvaluationDataResponse__Output>): grpc.ClientUnaryCall;
  listEvaluationData(argument: _fairlead_eval_v1_ListEvaluationDataRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_ListEvaluationDataResponse__Output>): grpc.ClientUnaryCall;
  listEvaluationData(argument: _fairlead_eval_v1_ListEvaluationDataRequest, callback: grpc.requestCallback<_fairlead_eval_v1_ListEvaluationDataResponse__Output>): grpc.ClientUnaryCall;
  
  ListEvaluationResults(argument: _fairlead_eval_v1_ListEvaluationResultsRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_eval_v1_ListEvaluationResultsResponse__Output>;
  ListEvaluationResults(argument: _fairlead_eval_v1_ListEvaluationResultsRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_eval_v1_ListEvaluationResultsResponse__Output>;
  listEvaluationResults(argument: _fairlead_eval_v1_ListEvaluationResultsRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_eval_v1_ListEvaluationResultsResponse__Output>;
  listEvaluationResults(argument: _fairlead_eval_v1_ListEvaluationResultsRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_eval_v1_ListEvaluationResultsResponse__Output>;
  
  ListEvaluations(argument: _fairlead_eval_v1_ListEvaluationsRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_eval_v1_ListEvaluationsResponse__Output>;
  ListEvaluations(argument: _fairlead_eval_v1_ListEvaluationsRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_eval_v1_ListEvaluationsResponse__Output>;
  listEvaluations(argument: _fairlead_eval_v1_ListEvaluationsRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_eval_v1_ListEvaluationsResponse__Output>;
  listEvaluations(argument: _fairlead_eval_v1_ListEvaluationsRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_eval_v1_ListEvaluationsResponse__Output>;
  
  ListOldData(argument: _fairlead_eval_v1_ListOldDataRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_ListOldDataResponse__Output>): grpc.ClientUnaryCall;
  ListOldData(argument: _fairlead_eval_v1_ListOldDataRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_eval_v1_ListOldDataResponse__Output>): grpc.ClientUnaryCall;
  ListOldData(argument: _fairlead_eval_v1_ListOldDataRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_ListOldDataResponse__Output>): grpc.ClientUnaryCall;
  ListOldData(argument: _fairlead_eval_v1_ListOldDataRequest, callback: grpc.requestCallback<_fairlead_eval_v1_ListOldDataResponse__Output>): grpc.ClientUnaryCall;
  listOldData(argument: _fairlead_eval_v1_ListOldDataRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_ListOldDataResponse__Output>): grpc.ClientUnaryCall;
  listOldData(argument: _fairlead_eval_v1_ListOldDataRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_eval_v1_ListOldDataResponse__Output>): grpc.ClientUnaryCall;
  listOldData(argument: _fairlead_eval_v1_ListOldDataRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_ListOldDataResponse__Output>): grpc.ClientUnaryCall;
  listOldData(argument: _fairlead_eval_v1_ListOldDataRequest, callback: grpc.requestCallback<_fairlead_eval_v1_ListOldDataResponse__Output>): grpc.ClientUnaryCall;
  
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
  
  StartEvaluation(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_fairlead_eval_v1_StartEvaluationRequest, _fairlead_eval_v1_StartEvaluationResponse__Output>;
  StartEvaluation(options?: grpc.CallOptions): grpc.ClientDuplexStream<_fairlead_eval_v1_StartEvaluationRequest, _fairlead_eval_v1_StartEvaluationResponse__Output>;
  startEvaluation(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_fairlead_eval_v1_StartEvaluationRequest, _fairlead_eval_v1_StartEvaluationResponse__Output>;
  startEvaluation(options?: grpc.CallOptions): grpc.ClientDuplexStream<_fairlead_eval_v1_StartEvaluationRequest, _fairlead_eval_v1_StartEvaluationResponse__Output>;
  
  UpdateEvalCase(metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_UpdateEvalCaseResponse__Output>): grpc.ClientWritableStream<_fairlead_eval_v1_UpdateEvalCaseRequest>;
  UpdateEvalCase(metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_eval_v1_UpdateEvalCaseResponse__Output>): grpc.ClientWritableStream<_fairlead_eval_v1_UpdateEvalCaseRequest>;
  UpdateEvalCase(options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_UpdateEvalCaseResponse__Output>): grpc.ClientWritableStream<_fairlead_eval_v1_UpdateEvalCaseRequest>;
  UpdateEvalCase(callback: grpc.requestCallback<_fairlead_eval_v1_UpdateEvalCaseResponse__Output>): grpc.ClientWritableStream<_fairlead_eval_v1_UpdateEvalCaseRequest>;
  updateEvalCase(metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_UpdateEvalCaseResponse__Output>): grpc.ClientWritableStream<_fairlead_eval_v1_UpdateEvalCaseRequest>;
  updateEvalCase(metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_eval_v1_UpdateEvalCaseResponse__Output>): grpc.ClientWritableStream<_fairlead_eval_v1_UpdateEvalCaseRequest>;
  updateEvalCase(options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_eval_v1_UpdateEvalCaseResponse__Output>): grpc.ClientWritableStream<_fairlead_eval_v1_UpdateEvalCaseRequest>;
  updateEvalCase(callback: grpc.requestCallback<_fairlead_eval_v1_UpdateEvalCaseResponse__Output>): grpc.ClientWritableStream<_fairlead_eval_v1_UpdateEvalCaseRequest>;
  
  WatchEvaluation(argument: _fairlead_eval_v1_WatchEvaluationRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_eval_v1_WatchEvaluationResponse__Output>;
  WatchEvaluation(argument: _fairlead_eval_v1_WatchEvaluationRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_eval_v1_WatchEvaluationResponse__Output>;
  watchEvaluation(argument: _fairlead_eval_v1_WatchEvaluationRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_eval_v1_WatchEvaluationResponse__Output>;
  watchEvaluation(argument: _fairlead_eval_v1_WatchEvaluationRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_fairlead_eval_v1_WatchEvaluationResponse__Output>;
  
}

export interface EvalServiceHandlers extends grpc.UntypedServiceImplementation {
  AddEvalCase: grpc.handleClientStreamingCall<_fairlead_eval_v1_AddEvalCaseRequest__Output, _fairlead_eval_v1_AddEvalCaseResponse>;
  
  CancelEvaluation: grpc.handleServerStreamingCall<_fairlead_eval_v1_CancelEvaluationRequest__Output, _fairlead_eval_v1_CancelEvaluationResponse>;
  
  CreateEvalSet: grpc.handleBidiStreamingCall<_fairlead_eval_v1_CreateEvalSetRequest__Output, _fairlead_eval_v1_CreateEvalSetResponse>;
  
  DeleteData: grpc.handleUnaryCall<_fairlead_eval_v1_DeleteDataRequest__Output, _fairlead_eval_v1_DeleteDataResponse>;
  
  DeleteEvalCase: grpc.handleUnaryCall<_fairlead_eval_v1_DeleteEvalCaseRequest__Output, _fairlead_eval_v1_DeleteEvalCaseResponse>;
  
  DeleteEvalSet: grpc.handleUnaryCall<_fairlead_eval_v1_DeleteEvalSetRequest__Output, _fairlead_eval_v1_DeleteEvalSetResponse>;
  
  DeleteEvaluationData: grpc.handleUnaryCall<_fairlead_eval_v1_DeleteEvaluationDataRequest__Output, _fairlead_eval_v1_DeleteEvaluationDataResponse>;
  
  DeleteOldData: grpc.handleUnaryCall<_fairlead_eval_v1_DeleteOldDataRequest__Output, _fairlead_eval_v1_DeleteOldDataResponse>;
  
  DescribeEvaluations: grpc.handleUnaryCall<_fairlead_eval_v1_DescribeEvaluationsRequest__Output, _fairlead_eval_v1_DescribeEvaluationsResponse>;
  
  GetEvalCase: grpc.handleServerStreamingCall<_fairlead_eval_v1_GetEvalCaseRequest__Output, _fairlead_eval_v1_GetEvalCaseResponse>;
  
  GetEvalSet: grpc.handleServerStreamingCall<_fairlead_eval_v1_GetEvalSetRequest__Output, _fairlead_eval_v1_GetEvalSetResponse>;
  
  GetEvalSetResult: grpc.handleServerStreamingCall<_fairlead_eval_v1_GetEvalSetResultRequest__Output, _fairlead_eval_v1_GetEvalSetResultResponse>;
  
  GetEvaluation: grpc.handleServerStreamingCall<_fairlead_eval_v1_GetEvaluationRequest__Output, _fairlead_eval_v1_GetEvaluationResponse>;
  
  ListData: grpc.handleUnaryCall<_fairlead_eval_v1_ListDataRequest__Output, _fairlead_eval_v1_ListDataResponse>;
  
  ListEvalCases: grpc.handleUnaryCall<_fairlead_eval_v1_ListEvalCasesRequest__Output, _fairlead_eval_v1_ListEvalCasesResponse>;
  
  ListEvalSetResults: grpc.handleUnaryCall<_fairlead_eval_v1_ListEvalSetResultsRequest__Output, _fairlead_eval_v1_ListEvalSetResultsResponse>;
  
  ListEvalSets: grpc.handleUnaryCall<_fairlead_eval_v1_ListEvalSetsRequest__Output, _fairlead_eval_v1_ListEvalSetsResponse>;
  
  ListEvaluationCases: grpc.handleServerStreamingCall<_fairlead_eval_v1_ListEvaluationCasesRequest__Output, _fairlead_eval_v1_ListEvaluationCasesResponse>;
  
  ListEvaluationData: grpc.handleUnaryCall<_fairlead_eval_v1_ListEvaluationDataRequest__Output, _fairlead_eval_v1_ListEvaluationDataResponse>;
  
  ListEvaluationResults: grpc.handleServerStreamingCall<_fairlead_eval_v1_ListEvaluationResultsRequest__Output, _fairlead_eval_v1_ListEvaluationResultsResponse>;
  
  ListEvaluations: grpc.handleServerStreamingCall<_fairlead_eval_v1_ListEvaluationsRequest__Output, _fairlead_eval_v1_ListEvaluationsResponse>;
  
  ListOldData: grpc.handleUnaryCall<_fairlead_eval_v1_ListOldDataRequest__Output, _fairlead_eval_v1_ListOldDataResponse>;
  
  ReadStored: grpc.handleUnaryCall<_fairlead_eval_v1_ReadStoredRequest__Output, _fairlead_eval_v1_ReadStoredResponse>;
  
  SaveEvalSetResult: grpc.handleClientStreamingCall<_fairlead_eval_v1_SaveEvalSetResultRequest__Output, _fairlead_eval_v1_SaveEvalSetResultResponse>;
  
  StartEvaluation: grpc.handleBidiStreamingCall<_fairlead_eval_v1_StartEvaluationRequest__Output, _fairlead_eval_v1_StartEvaluationResponse>;
  
  UpdateEvalCase: grpc.handleClientStreamingCall<_fairlead_eval_v1_UpdateEvalCaseRequest__Output, _fairlead_eval_v1_UpdateEvalCaseResponse>;
  
  WatchEvaluation: grpc.handleServerStreamingCall<_fairlead_eval_v1_WatchEvaluationRequest__Output, _fairlead_eval_v1_WatchEvaluationResponse>;
  
}

export interface EvalServiceDefinition extends grpc.ServiceDefinition {
  AddEvalCase: MethodDefinition<_fairlead_eval_v1_AddEvalCaseRequest, _fairlead_eval_v1_AddEvalCaseResponse, _fairlead_eval_v1_AddEvalCaseRequest__Output, _fairlead_eval_v1_AddEvalCaseResponse__Output>
  CancelEvaluation: MethodDefinition<_fairlead_eval_v1_CancelEvaluationRequest, _fairlead_eval_v1_CancelEvaluationResponse, _fairlead_eval_v1_CancelEvaluationRequest__Output, _fairlead_eval_v1_CancelEvaluationResponse__Output>
  CreateEvalSet: MethodDefinition<_fairlead_eval_v1_CreateEvalSetRequest, _fairlead_eval_v1_CreateEvalSetResponse, _fairlead_eval_v1_CreateEvalSetRequest__Output, _fairlead_eval_v1_CreateEvalSetResponse__Output>
  DeleteData: MethodDefinition<_fairlead_eval_v1_DeleteDataRequest, _fairlead_eval_v1_DeleteDataResponse, _fairlead_eval_v1_DeleteDataRequest__Output, _fairlead_eval_v1_DeleteDataResponse__Output>
  DeleteEvalCase: MethodDefinition<_fairlead_eval_v1_DeleteEvalCaseRequest, _fairlead_eval_v1_DeleteEvalCaseResponse, _fairlead_eval_v1_DeleteEvalCaseRequest__Output, _fairlead_eval_v1_DeleteEvalCaseResponse__Output>
  DeleteEvalSet: MethodDefinition<_fairlead_eval_v1_DeleteEvalSetRequest, _fairlead_eval_v1_DeleteEvalSetResponse, _fairlead_eval_v1_DeleteEvalSetRequest__Output, _fairlead_eval_v1_DeleteEvalSetResponse__Output>
  DeleteEvaluationData: MethodDefinition<_fairlead_eval_v1_DeleteEvaluationDataRequest, _fairlead_eval_v1_DeleteEvaluationDataResponse, _fairlead_eval_v1_DeleteEvaluationDataRequest__Output, _fairlead_eval_v1_DeleteEvaluationDataResponse__Output>
  DeleteOldData: MethodDefinition<_fairlead_eval_v1_DeleteOldDataRequest, _fairlead_eval_v1_DeleteOldDataResponse, _fairlead_eval_v1_DeleteOldDataRequest__Output, _fairlead_eval_v1_DeleteOldDataResponse__Output>
  DescribeEvaluations: MethodDefinition<_fairlead_eval_v1_DescribeEvaluationsRequest, _fairlead_eval_v1_DescribeEvaluationsResponse, _fairlead_eval_v1_DescribeEvaluationsRequest__Output, _fairlead_eval_v1_DescribeEvaluationsResponse__Output>
  GetEvalCase: MethodDefinition<_fairlead_eval_v1_GetEvalCaseRequest, _fairlead_eval_v1_GetEvalCaseResponse, _fairlead_eval_v1_GetEvalCaseRequest__Output, _fairlead_eval_v1_GetEvalCaseResponse__Output>
  GetEvalSet: MethodDefinition<_fairlead_eval_v1_GetEvalSetRequest, _fairlead_eval_v1_GetEvalSetResponse, _fairlead_eval_v1_GetEvalSetRequest__Output, _fairlead_eval_v1_GetEvalSetResponse__Output>
  GetEvalSetResult: MethodDefinition<_fairlead_eval_v1_GetEvalSetResultRequest, _fairlead_eval_v1_GetEvalSetResultResponse, _fairlead_eval_v1_GetEvalSetResultRequest__Output, _fairlead_eval_v1_GetEvalSetResultResponse__Output>
  GetEvaluation: MethodDefinition<_fairlead_eval_v1_GetEvaluationRequest, _fairlead_eval_v1_GetEvaluationResponse, _fairlead_eval_v1_GetEvaluationRequest__Output, _fairlead_eval_v1_GetEvaluationResponse__Output>
  ListData: MethodDefinition<_fairlead_eval_v1_ListDataRequest, _fairlead_eval_v1_ListDataResponse, _fairlead_eval_v1_ListDataRequest__Output, _fairlead_eval_v1_ListDataResponse__Output>
  ListEvalCases: MethodDefinition<_fairlead_eval_v1_ListEvalCasesRequest, _fairlead_eval_v1_ListEvalCasesResponse, _fairlead_eval_v1_ListEvalCasesRequest__Output, _fairlead_eval_v1_ListEvalCasesResponse__Output>
  ListEvalSetResults: MethodDefinition<_fairlead_eval_v1_ListEvalSetResultsRequest, _fairlead_eval_v1_ListEvalSetResultsResponse, _fairlead_eval_v1_ListEvalSetResultsRequest__Output, _fairlead_eval_v1_ListEvalSetResultsResponse__Output>
  ListEvalSets: MethodDefinition<_fairlead_eval_v1_ListEvalSetsRequest, _fairlead_eval_v1_ListEvalSetsResponse, _fairlead_eval_v1_ListEvalSetsRequest__Output, _fairlead_eval_v1_ListEvalSetsResponse__Output>
  ListEvaluationCases: MethodDefinition<_fairlead_eval_v1_ListEvaluationCasesRequest, _fairlead_eval_v1_ListEvaluationCasesResponse, _fairlead_eval_v1_ListEvaluationCasesRequest__Output, _fairlead_eval_v1_ListEvaluationCasesResponse__Output>
  ListEvaluationData: MethodDefinition<_fairlead_eval_v1_ListEvaluationDataRequest, _fairlead_eval_v1_ListEvaluationDataResponse, _fairlead_eval_v1_ListEvaluationDataRequest__Output, _fairlead_eval_v1_ListEvaluationDataResponse__Output>
  ListEvaluationResults: MethodDefinition<_fairlead_eval_v1_ListEvaluationResultsRequest, _fairlead_eval_v1_ListEvaluationResultsResponse, _fairlead_eval_v1_ListEvaluationResultsRequest__Output, _fairlead_eval_v1_ListEvaluationResultsResponse__Output>
  ListEvaluations: MethodDefinition<_fairlead_eval_v1_ListEvaluationsRequest, _fairlead_eval_v1_ListEvaluationsResponse, _fairlead_eval_v1_ListEvaluationsRequest__Output, _fairlead_eval_v1_ListEvaluationsResponse__Output>
  ListOldData: MethodDefinition<_fairlead_eval_v1_ListOldDataRequest, _fairlead_eval_v1_ListOldDataResponse, _fairlead_eval_v1_ListOldDataRequest__Output, _fairlead_eval_v1_ListOldDataResponse__Output>
  ReadStored: MethodDefinition<_fairlead_eval_v1_ReadStoredRequest, _fairlead_eval_v1_ReadStoredResponse, _fairlead_eval_v1_ReadStoredRequest__Output, _fairlead_eval_v1_ReadStoredResponse__Output>
  SaveEvalSetResult: MethodDefinition<_fairlead_eval_v1_SaveEvalSetResultRequest, _fairlead_eval_v1_SaveEvalSetResultResponse, _fairlead_eval_v1_SaveEvalSetResultRequest__Output, _fairlead_eval_v1_SaveEvalSetResultResponse__Output>
  StartEvaluation: MethodDefinition<_fairlead_eval_v1_StartEvaluationRequest, _fairlead_eval_v1_StartEvaluationResponse, _fairlead_eval_v1_StartEvaluationRequest__Output, _fairlead_eval_v1_StartEvaluationResponse__Output>
  UpdateEvalCase: MethodDefinition<_fairlead_eval_v1_UpdateEvalCaseRequest, _fairlead_eval_v1_UpdateEvalCaseResponse, _fairlead_eval_v1_UpdateEvalCaseRequest__Output, _fairlead_eval_v1_UpdateEvalCaseResponse__Output>
  WatchEvaluation: MethodDefinition<_fairlead_eval_v1_WatchEvaluationRequest, _fairlead_eval_v1_WatchEvaluationResponse, _fairlead_eval_v1_WatchEvaluationRequest__Output, _fairlead_eval_v1_WatchEvaluationResponse__Output>
}
