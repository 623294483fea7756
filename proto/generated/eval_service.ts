import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { AddEvalCaseRequest as _agentplane_eval_v1_AddEvalCaseRequest, AddEvalCaseRequest__Output as _agentplane_eval_v1_AddEvalCaseRequest__Output } from './agentplane/eval/v1/AddEvalCaseRequest.ts';
import type { AddEvalCaseResponse as _agentplane_eval_v1_AddEvalCaseResponse, AddEvalCaseResponse__Output as _agentplane_eval_v1_AddEvalCaseResponse__Output } from './agentplane/eval/v1/AddEvalCaseResponse.ts';
import type { CreateEvalSetRequest as _agentplane_eval_v1_CreateEvalSetRequest, CreateEvalSetRequest__Output as _agentplane_eval_v1_CreateEvalSetRequest__Output } from './agentplane/eval/v1/CreateEvalSetRequest.ts';
import type { CreateEvalSetResponse as _agentplane_eval_v1_CreateEvalSetResponse, CreateEvalSetResponse__Output as _agentplane_eval_v1_CreateEvalSetResponse__Output } from './agentplane/eval/v1/CreateEvalSetResponse.ts';
import type { DeleteEvalCaseRequest as _agentplane_eval_v1_DeleteEvalCaseRequest, DeleteEvalCaseRequest__Output as _agentplane_eval_v1_DeleteEvalCaseRequest__Output } from './agentplane/eval/v1/DeleteEvalCaseRequest.ts';
import type { DeleteEvalCaseResponse as _agentplane_eval_v1_DeleteEvalCaseResponse, DeleteEvalCaseResponse__Output as _agentplane_eval_v1_DeleteEvalCaseResponse__Output } from './agentplane/eval/v1/DeleteEvalCaseResponse.ts';
import type { DeleteEvalSetRequest as _agentplane_eval_v1_DeleteEvalSetRequest, DeleteEvalSetRequest__Output as _agentplane_eval_v1_DeleteEvalSetRequest__Output } from './agentplane/eval/v1/DeleteEvalSetRequest.ts';
import type { DeleteEvalSetResponse as _agentplane_eval_v1_DeleteEvalSetResponse, DeleteEvalSetResponse__Output as _agentplane_eval_v1_DeleteEvalSetResponse__Output } from './agentplane/eval/v1/DeleteEvalSetResponse.ts';
import type { EvalServiceClient as _agentplane_eval_v1_EvalServiceClient, EvalServiceDefinition as _agentplane_eval_v1_EvalServiceDefinition } from './agentplane/eval/v1/EvalService.ts';
import type { EvalSetKey as _agentplane_eval_v1_EvalSetKey, EvalSetKey__Output as _agentplane_eval_v1_EvalSetKey__Output } from './agentplane/eval/v1/EvalSetKey.ts';
import type { GetEvalCaseRequest as _agentplane_eval_v1_GetEvalCaseRequest, GetEvalCaseRequest__Output as _agentplane_eval_v1_GetEvalCaseRequest__Output } from './agentplane/eval/v1/GetEvalCaseRequest.ts';
import type { GetEvalCaseResponse as _agentplane_eval_v1_GetEvalCaseResponse, GetEvalCaseResponse__Output as _agentplane_eval_v1_GetEvalCaseResponse__Output } from './agentplane/eval/v1/GetEvalCaseResponse.ts';
import type { GetEvalSetRequest as _agentplane_eval_v1_GetEvalSetRequest, GetEvalSetRequest__Output as _agentplane_eval_v1_GetEvalSetRequest__Output } from './agentplane/eval/v1/GetEvalSetRequest.ts';
import type { GetEvalSetResponse as _agentplane_eval_v1_GetEvalSetResponse, GetEvalSetResponse__Output as _agentplane_eval_v1_GetEvalSetResponse__Output } from './agentplane/eval/v1/GetEvalSetResponse.ts';
import type { GetEvalSetResultRequest as _agentplane_eval_v1_GetEvalSetResultRequest, GetEvalSetResultRequest__Output as _agentplane_eval_v1_GetEvalSetResultRequest__Output } from './agentplane/eval/v1/GetEvalSetResultRequest.ts';
import type { GetEvalSetResultResponse as _agentplane_eval_v1_GetEvalSetResultResponse, GetEvalSetResultResponse__Output as _agentplane_eval_v1_GetEvalSetResultResponse__Output } from './agentplane/eval/v1/GetEvalSetResultResponse.ts';
import type { ListEvalCasesRequest as _agentplane_eval_v1_ListEvalCasesRequest, ListEvalCasesRequest__Output as _agentplane_eval_v1_ListEvalCasesRequest__Output } from './agentplane/eval/v1/ListEvalCasesRequest.ts';
import type { ListEvalCasesResponse as _agentplane_eval_v1_ListEvalCasesResponse, ListEvalCasesResponse__Output as _agentplane_eval_v1_ListEvalCasesResponse__Output } from './agentplane/eval/v1/ListEvalCasesResponse.ts';
import type { ListEvalSetResultsRequest as _agentplane_eval_v1_ListEvalSetResultsRequest, ListEvalSetResultsRequest__Output as _agentplane_eval_v1_ListEvalSetResultsRequest__Output } from './agentplane/eval/v1/ListEvalSetResultsRequest.ts';
import type { ListEvalSetResultsResponse as _agentplane_eval_v1_ListEvalSetResultsResponse, ListEvalSetResultsResponse__Output as _agentplane_eval_v1_ListEvalSetResultsResponse__Output } from './agentplane/eval/v1/ListEvalSetResultsResponse.ts';
import type { ListEvalSetsRequest as _agentplane_eval_v1_ListEvalSetsRequest, ListEvalSetsRequest__Output as _agentplane_eval_v1_ListEvalSetsRequest__Output } from './agentplane/eval/v1/ListEvalSetsRequest.ts';
import type { ListEvalSetsResponse as _agentplane_eval_v1_ListEvalSetsResponse, ListEvalSetsResponse__Output as _agentplane_eval_v1_ListEvalSetsResponse__Output } from './agentplane/eval/v1/ListEvalSetsResponse.ts';
import type { SaveEvalSetResultRequest as _agentplane_eval_v1_SaveEvalSetResultRequest, SaveEvalSetResultRequest__Output as _agentplane_eval_v1_SaveEvalSetResultRequest__Output } from './agentplane/eval/v1/SaveEvalSetResultRequest.ts';
import type { SaveEvalSetResultResponse as _agentplane_eval_v1_SaveEvalSetResultResponse, SaveEvalSetResultResponse__Output as _agentplane_eval_v1_SaveEvalSetResultResponse__Output } from './agentplane/eval/v1/SaveEvalSetResultResponse.ts';
import type { UpdateEvalCaseRequest as _agentplane_eval_v1_UpdateEvalCaseRequest, UpdateEvalCaseRequest__Output as _agentplane_eval_v1_UpdateEvalCaseRequest__Output } from './agentplane/eval/v1/UpdateEvalCaseRequest.ts';
import type { UpdateEvalCaseResponse as _agentplane_eval_v1_UpdateEvalCaseResponse, UpdateEvalCaseResponse__Output as _agentplane_eval_v1_UpdateEvalCaseResponse__Output } from './agentplane/eval/v1/UpdateEvalCaseResponse.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  agentplane: {
    eval: {
      v1: {
        AddEvalCaseRequest: MessageTypeDefinition<_agentplane_eval_v1_AddEvalCaseRequest, _agentplane_eval_v1_AddEvalCaseRequest__Output>
        AddEvalCaseResponse: MessageTypeDefinition<_agentplane_eval_v1_AddEvalCaseResponse, _agentplane_eval_v1_AddEvalCaseResponse__Output>
        CreateEvalSetRequest: MessageTypeDefinition<_agentplane_eval_v1_CreateEvalSetRequest, _agentplane_eval_v1_CreateEvalSetRequest__Output>
        CreateEvalSetResponse: MessageTypeDefinition<_agentplane_eval_v1_CreateEvalSetResponse, _agentplane_eval_v1_CreateEvalSetResponse__Output>
        DeleteEvalCaseRequest: MessageTypeDefinition<_agentplane_eval_v1_DeleteEvalCaseRequest, _agentplane_eval_v1_DeleteEvalCaseRequest__Output>
        DeleteEvalCaseResponse: MessageTypeDefinition<_agentplane_eval_v1_DeleteEvalCaseResponse, _agentplane_eval_v1_DeleteEvalCaseResponse__Output>
        DeleteEvalSetRequest: MessageTypeDefinition<_agentplane_eval_v1_DeleteEvalSetRequest, _agentplane_eval_v1_DeleteEvalSetRequest__Output>
        DeleteEvalSetResponse: MessageTypeDefinition<_agentplane_eval_v1_DeleteEvalSetResponse, _agentplane_eval_v1_DeleteEvalSetResponse__Output>
        EvalService: SubtypeConstructor<typeof grpc.Client, _agentplane_eval_v1_EvalServiceClient> & { service: _agentplane_eval_v1_EvalServiceDefinition }
        EvalSetKey: MessageTypeDefinition<_agentplane_eval_v1_EvalSetKey, _agentplane_eval_v1_EvalSetKey__Output>
        GetEvalCaseRequest: MessageTypeDefinition<_agentplane_eval_v1_GetEvalCaseRequest, _agentplane_eval_v1_GetEvalCaseRequest__Output>
        GetEvalCaseResponse: MessageTypeDefinition<_agentplane_eval_v1_GetEvalCaseResponse, _agentplane_eval_v1_GetEvalCaseResponse__Output>
        GetEvalSetRequest: MessageTypeDefinition<_agentplane_eval_v1_GetEvalSetRequest, _agentplane_eval_v1_GetEvalSetRequest__Output>
        GetEvalSetResponse: MessageTypeDefinition<_agentplane_eval_v1_GetEvalSetResponse, _agentplane_eval_v1_GetEvalSetResponse__Output>
        GetEvalSetResultRequest: MessageTypeDefinition<_agentplane_eval_v1_GetEvalSetResultRequest, _agentplane_eval_v1_GetEvalSetResultRequest__Output>
        GetEvalSetResultResponse: MessageTypeDefinition<_agentplane_eval_v1_GetEvalSetResultResponse, _agentplane_eval_v1_GetEvalSetResultResponse__Output>
        ListEvalCasesRequest: MessageTypeDefinition<_agentplane_eval_v1_ListEvalCasesRequest, _agentplane_eval_v1_ListEvalCasesRequest__Output>
        ListEvalCasesResponse: MessageTypeDefinition<_agentplane_eval_v1_ListEvalCasesResponse, _agentplane_eval_v1_ListEvalCasesResponse__Output>
        ListEvalSetResultsRequest: MessageTypeDefinition<_agentplane_eval_v1_ListEvalSetResultsRequest, _agentplane_eval_v1_ListEvalSetResultsRequest__Output>
        ListEvalSetResultsResponse: MessageTypeDefinition<_agentplane_eval_v1_ListEvalSetResultsResponse, _agentplane_eval_v1_ListEvalSetResultsResponse__Output>
        ListEvalSetsRequest: MessageTypeDefinition<_agentplane_eval_v1_ListEvalSetsRequest, _agentplane_eval_v1_ListEvalSetsRequest__Output>
        ListEvalSetsResponse: MessageTypeDefinition<_agentplane_eval_v1_ListEvalSetsResponse, _agentplane_eval_v1_ListEvalSetsResponse__Output>
        SaveEvalSetResultRequest: MessageTypeDefinition<_agentplane_eval_v1_SaveEvalSetResultRequest, _agentplane_eval_v1_SaveEvalSetResultRequest__Output>
        SaveEvalSetResultResponse: MessageTypeDefinition<_agentplane_eval_v1_SaveEvalSetResultResponse, _agentplane_eval_v1_SaveEvalSetResultResponse__Output>
        UpdateEvalCaseRequest: MessageTypeDefinition<_agentplane_eval_v1_UpdateEvalCaseRequest, _agentplane_eval_v1_UpdateEvalCaseRequest__Output>
        UpdateEvalCaseResponse: MessageTypeDefinition<_agentplane_eval_v1_UpdateEvalCaseResponse, _agentplane_eval_v1_UpdateEvalCaseResponse__Output>
      }
    }
  }
}

