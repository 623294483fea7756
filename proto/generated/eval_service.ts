import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { MeteredAmounts as _fairlead_common_v1_MeteredAmounts, MeteredAmounts__Output as _fairlead_common_v1_MeteredAmounts__Output } from './fairlead/common/v1/MeteredAmounts.ts';
import type { StoredName as _fairlead_common_v1_StoredName, StoredName__Output as _fairlead_common_v1_StoredName__Output } from './fairlead/common/v1/StoredName.ts';
import type { AddEvalCaseRequest as _fairlead_eval_v1_AddEvalCaseRequest, AddEvalCaseRequest__Output as _fairlead_eval_v1_AddEvalCaseRequest__Output } from './fairlead/eval/v1/AddEvalCaseRequest.ts';
import type { AddEvalCaseResponse as _fairlead_eval_v1_AddEvalCaseResponse, AddEvalCaseResponse__Output as _fairlead_eval_v1_AddEvalCaseResponse__Output } from './fairlead/eval/v1/AddEvalCaseResponse.ts';
import type { CancelEvaluationRequest as _fairlead_eval_v1_CancelEvaluationRequest, CancelEvaluationRequest__Output as _fairlead_eval_v1_CancelEvaluationRequest__Output } from './fairlead/eval/v1/CancelEvaluationRequest.ts';
import type { CancelEvaluationResponse as _fairlead_eval_v1_CancelEvaluationResponse, CancelEvaluationResponse__Output as _fairlead_eval_v1_CancelEvaluationResponse__Output } from './fairlead/eval/v1/CancelEvaluationResponse.ts';
import type { CreateEvalSetRequest as _fairlead_eval_v1_CreateEvalSetRequest, CreateEvalSetRequest__Output as _fairlead_eval_v1_CreateEvalSetRequest__Output } from './fairlead/eval/v1/CreateEvalSetRequest.ts';
import type { CreateEvalSetResponse as _fairlead_eval_v1_CreateEvalSetResponse, CreateEvalSetResponse__Output as _fairlead_eval_v1_CreateEvalSetResponse__Output } from './fairlead/eval/v1/CreateEvalSetResponse.ts';
import type { DeleteDataRequest as _fairlead_eval_v1_DeleteDataRequest, DeleteDataRequest__Output as _fairlead_eval_v1_DeleteDataRequest__Output } from './fairlead/eval/v1/DeleteDataRequest.ts';
import type { DeleteDataResponse as _fairlead_eval_v1_DeleteDataResponse, DeleteDataResponse__Output as _fairlead_eval_v1_DeleteDataResponse__Output } from './fairlead/eval/v1/DeleteDataResponse.ts';
import type { DeleteEvalCaseRequest as _fairlead_eval_v1_DeleteEvalCaseRequest, DeleteEvalCaseRequest__Output as _fairlead_eval_v1_DeleteEvalCaseRequest__Output } from './fairlead/eval/v1/DeleteEvalCaseRequest.ts';
import type { DeleteEvalCaseResponse as _fairlead_eval_v1_DeleteEvalCaseResponse, DeleteEvalCaseResponse__Output as _fairlead_eval_v1_DeleteEvalCaseResponse__Output } from './fairlead/eval/v1/DeleteEvalCaseResponse.ts';
import type { DeleteEvalSetRequest as _fairlead_eval_v1_DeleteEvalSetRequest, DeleteEvalSetRequest__Output as _fairlead_eval_v1_DeleteEvalSetRequest__Output } from './fairlead/eval/v1/DeleteEvalSetRequest.ts';
import type { DeleteEvalSetResponse as _fairlead_eval_v1_DeleteEvalSetResponse, DeleteEvalSetResponse__Output as _fairlead_eval_v1_DeleteEvalSetResponse__Output } from './fairlead/eval/v1/DeleteEvalSetResponse.ts';
import type { DeleteEvaluationDataRequest as _fairlead_eval_v1_DeleteEvaluationDataRequest, DeleteEvaluationDataRequest__Output as _fairlead_eval_v1_DeleteEvaluationDataRequest__Output } from './fairlead/eval/v1/DeleteEvaluationDataRequest.ts';
import type { DeleteEvaluationDataResponse as _fairlead_eval_v1_DeleteEvaluationDataResponse, DeleteEvaluationDataResponse__Output as _fairlead_eval_v1_DeleteEvaluationDataResponse__Output } from './fairlead/eval/v1/DeleteEvaluationDataResponse.ts';
import type { DeleteOldDataRequest as _fairlead_eval_v1_DeleteOldDataRequest, DeleteOldDataRequest__Output as _fairlead_eval_v1_DeleteOldDataRequest__Output } from './fairlead/eval/v1/DeleteOldDataRequest.ts';
import type { DeleteOldDataResponse as _fairlead_eval_v1_DeleteOldDataResponse, DeleteOldDataResponse__Output as _fairlead_eval_v1_DeleteOldDataResponse__Output } from './fairlead/eval/v1/DeleteOldDataResponse.ts';
import type { DescribeEvaluationsRequest as _fairlead_eval_v1_DescribeEvaluationsRequest, DescribeEvaluationsRequest__Output as _fairlead_eval_v1_DescribeEvaluationsRequest__Output } from './fairlead/eval/v1/DescribeEvaluationsRequest.ts';
import type { DescribeEvaluationsResponse as _fairlead_eval_v1_DescribeEvaluationsResponse, DescribeEvaluationsResponse__Output as _fairlead_eval_v1_DescribeEvaluationsResponse__Output } from './fairlead/eval/v1/DescribeEvaluationsResponse.ts';
import type { EvalServiceClient as _fairlead_eval_v1_EvalServiceClient, EvalServiceDefinition as _fairlead_eval_v1_EvalServiceDefinition } from './fairlead/eval/v1/EvalService.ts';
import type { EvalSetKey as _fairlead_eval_v1_EvalSetKey, EvalSetKey__Output as _fairlead_eval_v1_EvalSetKey__Output } from './fairlead/eval/v1/EvalSetKey.ts';
import type { GetEvalCaseRequest as _fairlead_eval_v1_GetEvalCaseRequest, GetEvalCaseRequest__Output as _fairlead_eval_v1_GetEvalCaseRequest__Output } from './fairlead/eval/v1/GetEvalCaseRequest.ts';
import type { GetEvalCaseResponse as _fairlead_eval_v1_GetEvalCaseResponse, GetEvalCaseResponse__Output as _fairlead_eval_v1_GetEvalCaseResponse__Output } from './fairlead/eval/v1/GetEvalCaseResponse.ts';
import type { GetEvalSetRequest as _fairlead_eval_v1_GetEvalSetRequest, GetEvalSetRequest__Output as _fairlead_eval_v1_GetEvalSetRequest__Output } from './fairlead/eval/v1/GetEvalSetRequest.ts';
import type { GetEvalSetResponse as _fairlead_eval_v1_GetEvalSetResponse, GetEvalSetResponse__Output as _fairlead_eval_v1_GetEvalSetResponse__Output } from './fairlead/eval/v1/GetEvalSetResponse.ts';
import type { GetEvalSetResultRequest as _fairlead_eval_v1_GetEvalSetResultRequest, GetEvalSetResultRequest__Output as _fairlead_eval_v1_GetEvalSetResultRequest__Output } from './fairlead/eval/v1/GetEvalSetResultRequest.ts';
import type { GetEvalSetResultResponse as _fairlead_eval_v1_GetEvalSetResultResponse, GetEvalSetResultResponse__Output as _fairlead_eval_v1_GetEvalSetResultResponse__Output } from './fairlead/eval/v1/GetEvalSetResultResponse.ts';
import type { GetEvaluationRequest as _fairlead_eval_v1_GetEvaluationRequest, GetEvaluationRequest__Output as _fairlead_eval_v1_GetEvaluationRequest__Output } from './fairlead/eval/v1/GetEvaluationRequest.ts';
import type { GetEvaluationResponse as _fairlead_eval_v1_GetEvaluationResponse, GetEvaluationResponse__Output as _fairlead_eval_v1_GetEvaluationResponse__Output } from './fairlead/eval/v1/GetEvaluationResponse.ts';
import type { ListDataRequest as _fairlead_eval_v1_ListDataRequest, ListDataRequest__Output as _fairlead_eval_v1_ListDataRequest__Output } from './fairlead/eval/v1/ListDataRequest.ts';
import type { ListDataResponse as _fairlead_eval_v1_ListDataResponse, ListDataResponse__Output as _fairlead_eval_v1_ListDataResponse__Output } from './fairlead/eval/v1/ListDataResponse.ts';
import type { ListEvalCasesRequest as _fairlead_eval_v1_ListEvalCasesRequest, ListEvalCasesRequest__Output as _fairlead_eval_v1_ListEvalCasesRequest__Output } from './fairlead/eval/v1/ListEvalCasesRequest.ts';
import type { ListEvalCasesResponse as _fairlead_eval_v1_ListEvalCasesResponse, ListEvalCasesResponse__Output as _fairlead_eval_v1_ListEvalCasesResponse__Output } from './fairlead/eval/v1/ListEvalCasesResponse.ts';
import type { ListEvalSetResultsRequest as _fairlead_eval_v1_ListEvalSetResultsRequest, ListEvalSetResultsRequest__Output as _fairlead_eval_v1_ListEvalSetResultsRequest__Output } from './fairlead/eval/v1/ListEvalSetResultsRequest.ts';
import type { ListEvalSetResultsResponse as _fairlead_eval_v1_ListEvalSetResultsResponse, ListEvalSetResultsResponse__Output as _fairlead_eval_v1_ListEvalSetResultsResponse__Output } from './fairlead/eval/v1/ListEvalSetResultsResponse.ts';
import type { ListEvalSetsRequest as _fairlead_eval_v1_ListEvalSetsRequest, ListEvalSetsRequest__Output as _fairlead_eval_v1_ListEvalSetsRequest__Output } from './fairlead/eval/v1/ListEvalSetsRequest.ts';
import type { ListEvalSetsResponse as _fairlead_eval_v1_ListEvalSetsResponse, ListEvalSetsResponse__Output as _fairlead_eval_v1_ListEvalSetsResponse__Output } from './fairlead/eval/v1/ListEvalSetsResponse.ts';
import type { ListEvaluationCasesRequest as _fairlead_eval_v1_ListEvaluationCasesRequest, ListEvaluationCasesRequest__Output as _fairlead_eval_v1_ListEvaluationCasesRequest__Output } from './fairlead/eval/v1/ListEvaluationCasesRequest.ts';
import type { ListEvaluationCasesResponse as _fairlead_eval_v1_ListEvaluationCasesResponse, ListEvaluationCasesResponse__Output as _fairlead_eval_v1_ListEvaluationCasesResponse__Output } from './fairlead/eval/v1/ListEvaluationCasesResponse.ts';
import type { ListEvaluationDataRequest as _fairlead_eval_v1_ListEvaluationDataRequest, ListEvaluationDataRequest__Output as _fairlead_eval_v1_ListEvaluationDataRequest__Output } from './fairlead/eval/v1/ListEvaluationDataRequest.ts';
import type { ListEvaluationDataResponse as _fairlead_eval_v1_ListEvaluationDataResponse, ListEvaluationDataResponse__Output as _fairlead_eval_v1_ListEvaluationDataResponse__Output } from './fairlead/eval/v1/ListEvaluationDataResponse.ts';
import type { ListEvaluationResultsRequest as _fairlead_eval_v1_ListEvaluationResultsRequest, ListEvaluationResultsRequest__Output as _fairlead_eval_v1_ListEvaluationResultsRequest__Output } from './fairlead/eval/v1/ListEvaluationResultsRequest.ts';
import type { ListEvaluationResultsResponse as _fairlead_eval_v1_ListEvaluationResultsResponse, ListEvaluationResultsResponse__Output as _fairlead_eval_v1_ListEvaluationResultsResponse__Output } from './fairlead/eval/v1/ListEvaluationResultsResponse.ts';
import type { ListEvaluationsRequest as _fairlead_eval_v1_ListEvaluationsRequest, ListEvaluationsRequest__Output as _fairlead_eval_v1_ListEvaluationsRequest__Output } from './fairlead/eval/v1/ListEvaluationsRequest.ts';
import type { ListEvaluationsResponse as _fairlead_eval_v1_ListEvaluationsResponse, ListEvaluationsResponse__Output as _fairlead_eval_v1_ListEvaluationsResponse__Output } from './fairlead/eval/v1/ListEvaluationsResponse.ts';
import type { ListOldDataRequest as _fairlead_eval_v1_ListOldDataRequest, ListOldDataRequest__Output as _fairlead_eval_v1_ListOldDataRequest__Output } from './fairlead/eval/v1/ListOldDataRequest.ts';
import type { ListOldDataResponse as _fairlead_eval_v1_ListOldDataResponse, ListOldDataResponse__Output as _fairlead_eval_v1_ListOldDataResponse__Output } from './fairlead/eval/v1/ListOldDataResponse.ts';
import type { OldItem as _fairlead_eval_v1_OldItem, OldItem__Output as _fairlead_eval_v1_OldItem__Output } from './fairlead/eval/v1/OldItem.ts';
import type { ReadStoredRequest as _fairlead_eval_v1_ReadStoredRequest, ReadStoredRequest__Output as _fairlead_eval_v1_ReadStoredRequest__Output } from './fairlead/eval/v1/ReadStoredRequest.ts';
import type { ReadStoredResponse as _fairlead_eval_v1_ReadStoredResponse, ReadStoredResponse__Output as _fairlead_eval_v1_ReadStoredResponse__Output } from './fairlead/eval/v1/ReadStoredResponse.ts';
import type { SaveEvalSetResultRequest as _fairlead_eval_v1_SaveEvalSetResultRequest, SaveEvalSetResultRequest__Output as _fairlead_eval_v1_SaveEvalSetResultRequest__Output } from './fairlead/eval/v1/SaveEvalSetResultRequest.ts';
import type { SaveEvalSetResultResponse as _fairlead_eval_v1_SaveEvalSetResultResponse, SaveEvalSetResultResponse__Output as _fairlead_eval_v1_SaveEvalSetResultResponse__Output } from './fairlead/eval/v1/SaveEvalSetResultResponse.ts';
import type { StartEvaluationRequest as _fairlead_eval_v1_StartEvaluationRequest, StartEvaluationRequest__Output as _fairlead_eval_v1_StartEvaluationRequest__Output } from './fairlead/eval/v1/StartEvaluationRequest.ts';
import type { StartEvaluationResponse as _fairlead_eval_v1_StartEvaluationResponse, StartEvaluationResponse__Output as _fairlead_eval_v1_StartEvaluationResponse__Output } from './fairlead/eval/v1/StartEvaluationResponse.ts';
import type { UpdateEvalCaseRequest as _fairlead_eval_v1_UpdateEvalCaseRequest, UpdateEvalCaseRequest__Output as _fairlead_eval_v1_UpdateEvalCaseRequest__Output } from './fairlead/eval/v1/UpdateEvalCaseRequest.ts';
import type { UpdateEvalCaseResponse as _fairlead_eval_v1_UpdateEvalCaseResponse, UpdateEvalCaseResponse__Output as _fairlead_eval_v1_UpdateEvalCaseResponse__Output } from './fairlead/eval/v1/UpdateEvalCaseResponse.ts';
import type { WatchEvaluationRequest as _fairlead_eval_v1_WatchEvaluationRequest, WatchEvaluationRequest__Output as _fairlead_eval_v1_WatchEvaluationRequest__Output } from './fairlead/eval/v1/WatchEvaluationRequest.ts';
import type { WatchEvaluationResponse as _fairlead_eval_v1_WatchEvaluationResponse, WatchEvaluationResponse__Output as _fairlead_eval_v1_WatchEvaluationResponse__Output } from './fairlead/eval/v1/WatchEvaluationResponse.ts';
import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from './google/protobuf/Timestamp.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  fairlead: {
    common: {
      v1: {
        MeteredAmounts: MessageTypeDefinition<_fairlead_common_v1_MeteredAmounts, _fairlead_common_v1_MeteredAmounts__Output>
        StoredName: MessageTypeDefinition<_fairlead_common_v1_StoredName, _fairlead_common_v1_StoredName__Output>
      }
    }
    eval: {
      v1: {
        AddEvalCaseRequest: MessageTypeDefinition<_fairlead_eval_v1_AddEvalCaseRequest, _fairlead_eval_v1_AddEvalCaseRequest__Output>
        AddEvalCaseResponse: MessageTypeDefinition<_fairlead_eval_v1_AddEvalCaseResponse, _fairlead_eval_v1_AddEvalCaseResponse__Output>
        CancelEvaluationRequest: MessageTypeDefinition<_fairlead_eval_v1_CancelEvaluationRequest, _fairlead_eval_v1_CancelEvaluationRequest__Output>
        CancelEvaluationResponse: MessageTypeDefinition<_fairlead_eval_v1_CancelEvaluationResponse, _fairlead_eval_v1_CancelEvaluationResponse__Output>
        CreateEvalSetRequest: MessageTypeDefinition<_fairlead_eval_v1_CreateEvalSetRequest, _fairlead_eval_v1_CreateEvalSetRequest__Output>
        CreateEvalSetResponse: MessageTypeDefinition<_fairlead_eval_v1_CreateEvalSetResponse, _fairlead_eval_v1_CreateEvalSetResponse__Output>
        DeleteDataRequest: MessageTypeDefinition<_fairlead_eval_v1_DeleteDataRequest, _fairlead_eval_v1_DeleteDataRequest__Output>
        DeleteDataResponse: MessageTypeDefinition<_fairlead_eval_v1_DeleteDataResponse, _fairlead_eval_v1_DeleteDataResponse__Output>
        DeleteEvalCaseRequest: MessageTypeDefinition<_fairlead_eval_v1_DeleteEvalCaseRequest, _fairlead_eval_v1_DeleteEvalCaseRequest__Output>
        DeleteEvalCaseResponse: MessageTypeDefinition<_fairlead_eval_v1_DeleteEvalCaseResponse, _fairlead_eval_v1_DeleteEvalCaseResponse__Output>
        DeleteEvalSetRequest: MessageTypeDefinition<_fairlead_eval_v1_DeleteEvalSetRequest, _fairlead_eval_v1_DeleteEvalSetRequest__Output>
        DeleteEvalSetResponse: MessageTypeDefinition<_fairlead_eval_v1_DeleteEvalSetResponse, _fairlead_eval_v1_DeleteEvalSetResponse__Output>
        DeleteEvaluationDataRequest: MessageTypeDefinition<_fairlead_eval_v1_DeleteEvaluationDataRequest, _fairlead_eval_v1_DeleteEvaluationDataRequest__Output>
        DeleteEvaluationDataResponse: MessageTypeDefinition<_fairlead_eval_v1_DeleteEvaluationDataResponse, _fairlead_eval_v1_DeleteEvaluationDataResponse__Output>
        DeleteOldDataRequest: MessageTypeDefinition<_fairlead_eval_v1_DeleteOldDataRequest, _fairlead_eval_v1_DeleteOldDataRequest__Output>
        DeleteOldDataResponse: MessageTypeDefinition<_fairlead_eval_v1_DeleteOldDataResponse, _fairlead_eval_v1_DeleteOldDataResponse__Output>
        DescribeEvaluationsRequest: MessageTypeDefinition<_fairlead_eval_v1_DescribeEvaluationsRequest, _fairlead_eval_v1_DescribeEvaluationsRequest__Output>
        DescribeEvaluationsResponse: MessageTypeDefinition<_fairlead_eval_v1_DescribeEvaluationsResponse, _fairlead_eval_v1_DescribeEvaluationsResponse__Output>
        EvalService: SubtypeConstructor<typeof grpc.Client, _fairlead_eval_v1_EvalServiceClient> & { service: _fairlead_eval_v1_EvalServiceDefinition }
        EvalSetKey: MessageTypeDefinition<_fairlead_eval_v1_EvalSetKey, _fairlead_eval_v1_EvalSetKey__Output>
        GetEvalCaseRequest: MessageTypeDefinition<_fairlead_eval_v1_GetEvalCaseRequest, _fairlead_eval_v1_GetEvalCaseRequest__Output>
        GetEvalCaseResponse: MessageTypeDefinition<_fairlead_eval_v1_GetEvalCaseResponse, _fairlead_eval_v1_GetEvalCaseResponse__Output>
        GetEvalSetRequest: MessageTypeDefinition<_fairlead_eval_v1_GetEvalSetRequest, _fairlead_eval_v1_GetEvalSetRequest__Output>
        GetEvalSetResponse: MessageTypeDefinition<_fairlead_eval_v1_GetEvalSetResponse, _fairlead_eval_v1_GetEvalSetResponse__Output>
        GetEvalSetResultRequest: MessageTypeDefinition<_fairlead_eval_v1_GetEvalSetResultRequest, _fairlead_eval_v1_GetEvalSetResultRequest__Output>
        GetEvalSetResultResponse: MessageTypeDefinition<_fairlead_eval_v1_GetEvalSetResultResponse, _fairlead_eval_v1_GetEvalSetResultResponse__Output>
        GetEvaluationRequest: MessageTypeDefinition<_fairlead_eval_v1_GetEvaluationRequest, _fairlead_eval_v1_GetEvaluationRequest__Output>
        GetEvaluationResponse: MessageTypeDefinition<_fairlead_eval_v1_GetEvaluationResponse, _fairlead_eval_v1_GetEvaluationResponse__Output>
        ListDataRequest: MessageTypeDefinition<_fairlead_eval_v1_ListDataRequest, _fairlead_eval_v1_ListDataRequest__Output>
        ListDataResponse: MessageTypeDefinition<_fairlead_eval_v1_ListDataResponse, _fairlead_eval_v1_ListDataResponse__Output>
        ListEvalCasesRequest: MessageTypeDefinition<_fairlead_eval_v1_ListEvalCasesRequest, _fairlead_eval_v1_ListEvalCasesRequest__Output>
        ListEvalCasesResponse: MessageTypeDefinition<_fairlead_eval_v1_ListEvalCasesResponse, _fairlead_eval_v1_ListEvalCasesResponse__Output>
        ListEvalSetResultsRequest: MessageTypeDefinition<_fairlead_eval_v1_ListEvalSetResultsRequest, _fairlead_eval_v1_ListEvalSetResultsRequest__Output>
        ListEvalSetResultsResponse: MessageTypeDefinition<_fairlead_eval_v1_ListEvalSetResultsResponse, _fairlead_eval_v1_ListEvalSetResultsResponse__Output>
        ListEvalSetsRequest: MessageTypeDefinition<_fairlead_eval_v1_ListEvalSetsRequest, _fairlead_eval_v1_ListEvalSetsRequest__Output>
        ListEvalSetsResponse: MessageTypeDefinition<_fairlead_eval_v1_ListEvalSetsResponse, _fairlead_eval_v1_ListEvalSetsResponse__Output>
        ListEvaluationCasesRequest: MessageTypeDefinition<_fairlead_eval_v1_ListEvaluationCasesRequest, _fairlead_eval_v1_ListEvaluationCasesRequest__Output>
        ListEvaluationCasesResponse: MessageTypeDefinition<_fairlead_eval_v1_ListEvaluationCasesResponse, _fairlead_eval_v1_ListEvaluationCasesResponse__Output>
        ListEvaluationDataRequest: MessageTypeDefinition<_fairlead_eval_v1_ListEvaluationDataRequest, _fairlead_eval_v1_ListEvaluationDataRequest__Output>
        ListEvaluationDataResponse: MessageTypeDefinition<_fairlead_eval_v1_ListEvaluationDataResponse, _fairlead_eval_v1_ListEvaluationDataResponse__Output>
        ListEvaluationResultsRequest: MessageTypeDefinition<_fairlead_eval_v1_ListEvaluationResultsRequest, _fairlead_eval_v1_ListEvaluationResultsRequest__Output>
        ListEvaluationResultsResponse: MessageTypeDefinition<_fairlead_eval_v1_ListEvaluationResultsResponse, _fairlead_eval_v1_ListEvaluationResultsResponse__Output>
        ListEvaluationsRequest: MessageTypeDefinition<_fairlead_eval_v1_ListEvaluationsRequest, _fairlead_eval_v1_ListEvaluationsRequest__Output>
        ListEvaluationsResponse: MessageTypeDefinition<_fairlead_eval_v1_ListEvaluationsResponse, _fairlead_eval_v1_ListEvaluationsResponse__Output>
        ListOldDataRequest: MessageTypeDefinition<_fairlead_eval_v1_ListOldDataRequest, _fairlead_eval_v1_ListOldDataRequest__Output>
        ListOldDataResponse: MessageTypeDefinition<_fairlead_eval_v1_ListOldDataResponse, _fairlead_eval_v1_ListOldDataResponse__Output>
        OldItem: MessageTypeDefinition<_fairlead_eval_v1_OldItem, _fairlead_eval_v1_OldItem__Output>
        ReadStoredRequest: MessageTypeDefinition<_fairlead_eval_v1_ReadStoredRequest, _fairlead_eval_v1_ReadStoredRequest__Output>
        ReadStoredResponse: MessageTypeDefinition<_fairlead_eval_v1_ReadStoredResponse, _fairlead_eval_v1_ReadStoredResponse__Output>
        SaveEvalSetResultRequest: MessageTypeDefinition<_fairlead_eval_v1_SaveEvalSetResultRequest, _fairlead_eval_v1_SaveEvalSetResultRequest__Output>
        SaveEvalSetResultResponse: MessageTypeDefinition<_fairlead_eval_v1_SaveEvalSetResultResponse, _fairlead_eval_v1_SaveEvalSetResultResponse__Output>
        StartEvaluationRequest: MessageTypeDefinition<_fairlead_eval_v1_StartEvaluationRequest, _fairlead_eval_v1_StartEvaluationRequest__Output>
        StartEvaluationResponse: MessageTypeDefinition<_fairlead_eval_v1_StartEvaluationResponse, _fairlead_eval_v1_StartEvaluationResponse__Output>
        UpdateEvalCaseRequest: MessageTypeDefinition<_fairlead_eval_v1_UpdateEvalCaseRequest, _fairlead_eval_v1_UpdateEvalCaseRequest__Output>
        UpdateEvalCaseResponse: MessageTypeDefinition<_fairlead_eval_v1_UpdateEvalCaseResponse, _fairlead_eval_v1_UpdateEvalCaseResponse__Output>
        WatchEvaluationRequest: MessageTypeDefinition<_fairlead_eval_v1_WatchEvaluationRequest, _fairlead_eval_v1_WatchEvaluationRequest__Output>
        WatchEvaluationResponse: MessageTypeDefinition<_fairlead_eval_v1_WatchEvaluationResponse, _fairlead_eval_v1_WatchEvaluationResponse__Output>
      }
    }
  }
  google: {
    protobuf: {
      Timestamp: MessageTypeDefinition<_google_protobuf_Timestamp, _google_protobuf_Timestamp__Output>
    }
  }
}

