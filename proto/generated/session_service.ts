import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { Event as _fairlead_common_v1_Event, Event__Output as _fairlead_common_v1_Event__Output } from './fairlead/common/v1/Event.ts';
import type { SessionKey as _fairlead_common_v1_SessionKey, SessionKey__Output as _fairlead_common_v1_SessionKey__Output } from './fairlead/common/v1/SessionKey.ts';
import type { AllowEvaluationRequest as _fairlead_session_v1_AllowEvaluationRequest, AllowEvaluationRequest__Output as _fairlead_session_v1_AllowEvaluationRequest__Output } from './fairlead/session/v1/AllowEvaluationRequest.ts';
import type { AllowEvaluationResponse as _fairlead_session_v1_AllowEvaluationResponse, AllowEvaluationResponse__Output as _fairlead_session_v1_AllowEvaluationResponse__Output } from './fairlead/session/v1/AllowEvaluationResponse.ts';
import type { AppendEventRequest as _fairlead_session_v1_AppendEventRequest, AppendEventRequest__Output as _fairlead_session_v1_AppendEventRequest__Output } from './fairlead/session/v1/AppendEventRequest.ts';
import type { AppendEventResponse as _fairlead_session_v1_AppendEventResponse, AppendEventResponse__Output as _fairlead_session_v1_AppendEventResponse__Output } from './fairlead/session/v1/AppendEventResponse.ts';
import type { ApplyStateDeltaRequest as _fairlead_session_v1_ApplyStateDeltaRequest, ApplyStateDeltaRequest__Output as _fairlead_session_v1_ApplyStateDeltaRequest__Output } from './fairlead/session/v1/ApplyStateDeltaRequest.ts';
import type { ApplyStateDeltaResponse as _fairlead_session_v1_ApplyStateDeltaResponse, ApplyStateDeltaResponse__Output as _fairlead_session_v1_ApplyStateDeltaResponse__Output } from './fairlead/session/v1/ApplyStateDeltaResponse.ts';
import type { BeginDeletionRequest as _fairlead_session_v1_BeginDeletionRequest, BeginDeletionRequest__Output as _fairlead_session_v1_BeginDeletionRequest__Output } from './fairlead/session/v1/BeginDeletionRequest.ts';
import type { BeginDeletionResponse as _fairlead_session_v1_BeginDeletionResponse, BeginDeletionResponse__Output as _fairlead_session_v1_BeginDeletionResponse__Output } from './fairlead/session/v1/BeginDeletionResponse.ts';
import type { CloseSessionRequest as _fairlead_session_v1_CloseSessionRequest, CloseSessionRequest__Output as _fairlead_session_v1_CloseSessionRequest__Output } from './fairlead/session/v1/CloseSessionRequest.ts';
import type { CloseSessionResponse as _fairlead_session_v1_CloseSessionResponse, CloseSessionResponse__Output as _fairlead_session_v1_CloseSessionResponse__Output } from './fairlead/session/v1/CloseSessionResponse.ts';
import type { CreateSessionHeader as _fairlead_session_v1_CreateSessionHeader, CreateSessionHeader__Output as _fairlead_session_v1_CreateSessionHeader__Output } from './fairlead/session/v1/CreateSessionHeader.ts';
import type { CreateSessionRequest as _fairlead_session_v1_CreateSessionRequest, CreateSessionRequest__Output as _fairlead_session_v1_CreateSessionRequest__Output } from './fairlead/session/v1/CreateSessionRequest.ts';
import type { CreateSessionResponse as _fairlead_session_v1_CreateSessionResponse, CreateSessionResponse__Output as _fairlead_session_v1_CreateSessionResponse__Output } from './fairlead/session/v1/CreateSessionResponse.ts';
import type { DataDeletion as _fairlead_session_v1_DataDeletion, DataDeletion__Output as _fairlead_session_v1_DataDeletion__Output } from './fairlead/session/v1/DataDeletion.ts';
import type { DeleteDataRequest as _fairlead_session_v1_DeleteDataRequest, DeleteDataRequest__Output as _fairlead_session_v1_DeleteDataRequest__Output } from './fairlead/session/v1/DeleteDataRequest.ts';
import type { DeleteDataResponse as _fairlead_session_v1_DeleteDataResponse, DeleteDataResponse__Output as _fairlead_session_v1_DeleteDataResponse__Output } from './fairlead/session/v1/DeleteDataResponse.ts';
import type { DeleteOldDataRequest as _fairlead_session_v1_DeleteOldDataRequest, DeleteOldDataRequest__Output as _fairlead_session_v1_DeleteOldDataRequest__Output } from './fairlead/session/v1/DeleteOldDataRequest.ts';
import type { DeleteOldDataResponse as _fairlead_session_v1_DeleteOldDataResponse, DeleteOldDataResponse__Output as _fairlead_session_v1_DeleteOldDataResponse__Output } from './fairlead/session/v1/DeleteOldDataResponse.ts';
import type { DeleteSessionRequest as _fairlead_session_v1_DeleteSessionRequest, DeleteSessionRequest__Output as _fairlead_session_v1_DeleteSessionRequest__Output } from './fairlead/session/v1/DeleteSessionRequest.ts';
import type { DeleteSessionResponse as _fairlead_session_v1_DeleteSessionResponse, DeleteSessionResponse__Output as _fairlead_session_v1_DeleteSessionResponse__Output } from './fairlead/session/v1/DeleteSessionResponse.ts';
import type { EndDeletionRequest as _fairlead_session_v1_EndDeletionRequest, EndDeletionRequest__Output as _fairlead_session_v1_EndDeletionRequest__Output } from './fairlead/session/v1/EndDeletionRequest.ts';
import type { EndDeletionResponse as _fairlead_session_v1_EndDeletionResponse, EndDeletionResponse__Output as _fairlead_session_v1_EndDeletionResponse__Output } from './fairlead/session/v1/EndDeletionResponse.ts';
import type { GetSessionRequest as _fairlead_session_v1_GetSessionRequest, GetSessionRequest__Output as _fairlead_session_v1_GetSessionRequest__Output } from './fairlead/session/v1/GetSessionRequest.ts';
import type { GetSessionResponse as _fairlead_session_v1_GetSessionResponse, GetSessionResponse__Output as _fairlead_session_v1_GetSessionResponse__Output } from './fairlead/session/v1/GetSessionResponse.ts';
import type { GrantEvaluationRequest as _fairlead_session_v1_GrantEvaluationRequest, GrantEvaluationRequest__Output as _fairlead_session_v1_GrantEvaluationRequest__Output } from './fairlead/session/v1/GrantEvaluationRequest.ts';
import type { GrantEvaluationResponse as _fairlead_session_v1_GrantEvaluationResponse, GrantEvaluationResponse__Output as _fairlead_session_v1_GrantEvaluationResponse__Output } from './fairlead/session/v1/GrantEvaluationResponse.ts';
import type { IdleSession as _fairlead_session_v1_IdleSession, IdleSession__Output as _fairlead_session_v1_IdleSession__Output } from './fairlead/session/v1/IdleSession.ts';
import type { ListDataRequest as _fairlead_session_v1_ListDataRequest, ListDataRequest__Output as _fairlead_session_v1_ListDataRequest__Output } from './fairlead/session/v1/ListDataRequest.ts';
import type { ListDataResponse as _fairlead_session_v1_ListDataResponse, ListDataResponse__Output as _fairlead_session_v1_ListDataResponse__Output } from './fairlead/session/v1/ListDataResponse.ts';
import type { ListDeletionsRequest as _fairlead_session_v1_ListDeletionsRequest, ListDeletionsRequest__Output as _fairlead_session_v1_ListDeletionsRequest__Output } from './fairlead/session/v1/ListDeletionsRequest.ts';
import type { ListDeletionsResponse as _fairlead_session_v1_ListDeletionsResponse, ListDeletionsResponse__Output as _fairlead_session_v1_ListDeletionsResponse__Output } from './fairlead/session/v1/ListDeletionsResponse.ts';
import type { ListEventsRequest as _fairlead_session_v1_ListEventsRequest, ListEventsRequest__Output as _fairlead_session_v1_ListEventsRequest__Output } from './fairlead/session/v1/ListEventsRequest.ts';
import type { ListEventsResponse as _fairlead_session_v1_ListEventsResponse, ListEventsResponse__Output as _fairlead_session_v1_ListEventsResponse__Output } from './fairlead/session/v1/ListEventsResponse.ts';
import type { ListIdleSessionsRequest as _fairlead_session_v1_ListIdleSessionsRequest, ListIdleSessionsRequest__Output as _fairlead_session_v1_ListIdleSessionsRequest__Output } from './fairlead/session/v1/ListIdleSessionsRequest.ts';
import type { ListIdleSessionsResponse as _fairlead_session_v1_ListIdleSessionsResponse, ListIdleSessionsResponse__Output as _fairlead_session_v1_ListIdleSessionsResponse__Output } from './fairlead/session/v1/ListIdleSessionsResponse.ts';
import type { ListOldDataRequest as _fairlead_session_v1_ListOldDataRequest, ListOldDataRequest__Output as _fairlead_session_v1_ListOldDataRequest__Output } from './fairlead/session/v1/ListOldDataRequest.ts';
import type { ListOldDataResponse as _fairlead_session_v1_ListOldDataResponse, ListOldDataResponse__Output as _fairlead_session_v1_ListOldDataResponse__Output } from './fairlead/session/v1/ListOldDataResponse.ts';
import type { ListSessionsRequest as _fairlead_session_v1_ListSessionsRequest, ListSessionsRequest__Output as _fairlead_session_v1_ListSessionsRequest__Output } from './fairlead/session/v1/ListSessionsRequest.ts';
import type { ListSessionsResponse as _fairlead_session_v1_ListSessionsResponse, ListSessionsResponse__Output as _fairlead_session_v1_ListSessionsResponse__Output } from './fairlead/session/v1/ListSessionsResponse.ts';
import type { OldItem as _fairlead_session_v1_OldItem, OldItem__Output as _fairlead_session_v1_OldItem__Output } from './fairlead/session/v1/OldItem.ts';
import type { OldRun as _fairlead_session_v1_OldRun, OldRun__Output as _fairlead_session_v1_OldRun__Output } from './fairlead/session/v1/OldRun.ts';
import type { ReadStorageRequest as _fairlead_session_v1_ReadStorageRequest, ReadStorageRequest__Output as _fairlead_session_v1_ReadStorageRequest__Output } from './fairlead/session/v1/ReadStorageRequest.ts';
import type { ReadStorageResponse as _fairlead_session_v1_ReadStorageResponse, ReadStorageResponse__Output as _fairlead_session_v1_ReadStorageResponse__Output } from './fairlead/session/v1/ReadStorageResponse.ts';
import type { Session as _fairlead_session_v1_Session, Session__Output as _fairlead_session_v1_Session__Output } from './fairlead/session/v1/Session.ts';
import type { SessionServiceClient as _fairlead_session_v1_SessionServiceClient, SessionServiceDefinition as _fairlead_session_v1_SessionServiceDefinition } from './fairlead/session/v1/SessionService.ts';
import type { StorageCount as _fairlead_session_v1_StorageCount, StorageCount__Output as _fairlead_session_v1_StorageCount__Output } from './fairlead/session/v1/StorageCount.ts';
import type { StoredAmounts as _fairlead_session_v1_StoredAmounts, StoredAmounts__Output as _fairlead_session_v1_StoredAmounts__Output } from './fairlead/session/v1/StoredAmounts.ts';
import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from './google/protobuf/Timestamp.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  fairlead: {
    common: {
      v1: {
        Event: MessageTypeDefinition<_fairlead_common_v1_Event, _fairlead_common_v1_Event__Output>
        SessionKey: MessageTypeDefinition<_fairlead_common_v1_SessionKey, _fairlead_common_v1_SessionKey__Output>
      }
    }
    session: {
      v1: {
        AllowEvaluationRequest: MessageTypeDefinition<_fairlead_session_v1_AllowEvaluationRequest, _fairlead_session_v1_AllowEvaluationRequest__Output>
        AllowEvaluationResponse: MessageTypeDefinition<_fairlead_session_v1_AllowEvaluationResponse, _fairlead_session_v1_AllowEvaluationResponse__Output>
        AppendEventRequest: MessageTypeDefinition<_fairlead_session_v1_AppendEventRequest, _fairlead_session_v1_AppendEventRequest__Output>
        AppendEventResponse: MessageTypeDefinition<_fairlead_session_v1_AppendEventResponse, _fairlead_session_v1_AppendEventResponse__Output>
        ApplyStateDeltaRequest: MessageTypeDefinition<_fairlead_session_v1_ApplyStateDeltaRequest, _fairlead_session_v1_ApplyStateDeltaRequest__Output>
        ApplyStateDeltaResponse: MessageTypeDefinition<_fairlead_session_v1_ApplyStateDeltaResponse, _fairlead_session_v1_ApplyStateDeltaResponse__Output>
        BeginDeletionRequest: MessageTypeDefinition<_fairlead_session_v1_BeginDeletionRequest, _fairlead_session_v1_BeginDeletionRequest__Output>
        BeginDeletionResponse: MessageTypeDefinition<_fairlead_session_v1_BeginDeletionResponse, _fairlead_session_v1_BeginDeletionResponse__Output>
        CloseSessionRequest: MessageTypeDefinition<_fairlead_session_v1_CloseSessionRequest, _fairlead_session_v1_CloseSessionRequest__Output>
        CloseSessionResponse: MessageTypeDefinition<_fairlead_session_v1_CloseSessionResponse, _fairlead_session_v1_CloseSessionResponse__Output>
        CreateSessionHeader: MessageTypeDefinition<_fairlead_session_v1_CreateSessionHeader, _fairlead_session_v1_CreateSessionHeader__Output>
        CreateSessionRequest: MessageTypeDefinition<_fairlead_session_v1_CreateSessionRequest, _fairlead_session_v1_CreateSessionRequest__Output>
        CreateSessionResponse: MessageTypeDefinition<_fairlead_session_v1_CreateSessionResponse, _fairlead_session_v1_CreateSessionResponse__Output>
        DataDeletion: MessageTypeDefinition<_fairlead_session_v1_DataDeletion, _fairlead_session_v1_DataDeletion__Output>
        DeleteDataRequest: MessageTypeDefinition<_fairlead_session_v1_DeleteDataRequest, _fairlead_session_v1_DeleteDataRequest__Output>
        DeleteDataResponse: MessageTypeDefinition<_fairlead_session_v1_DeleteDataResponse, _fairlead_session_v1_DeleteDataResponse__Output>
        DeleteOldDataRequest: MessageTypeDefinition<_fairlead_session_v1_DeleteOldDataRequest, _fairlead_session_v1_DeleteOldDataRequest__Output>
        DeleteOldDataResponse: MessageTypeDefinition<_fairlead_session_v1_DeleteOldDataResponse, _fairlead_session_v1_DeleteOldDataResponse__Output>
        DeleteSessionRequest: MessageTypeDefinition<_fairlead_session_v1_DeleteSessionRequest, _fairlead_session_v1_DeleteSessionRequest__Output>
        DeleteSessionResponse: MessageTypeDefinition<_fairlead_session_v1_DeleteSessionResponse, _fairlead_session_v1_DeleteSessionResponse__Output>
        EndDeletionRequest: MessageTypeDefinition<_fairlead_session_v1_EndDeletionRequest, _fairlead_session_v1_EndDeletionRequest__Output>
        EndDeletionResponse: MessageTypeDefinition<_fairlead_session_v1_EndDeletionResponse, _fairlead_session_v1_EndDeletionResponse__Output>
        GetSessionRequest: MessageTypeDefinition<_fairlead_session_v1_GetSessionRequest, _fairlead_session_v1_GetSessionRequest__Output>
        GetSessionResponse: MessageTypeDefinition<_fairlead_session_v1_GetSessionResponse, _fairlead_session_v1_GetSessionResponse__Output>
        GrantEvaluationRequest: MessageTypeDefinition<_fairlead_session_v1_GrantEvaluationRequest, _fairlead_session_v1_GrantEvaluationRequest__Output>
        GrantEvaluationResponse: MessageTypeDefinition<_fairlead_session_v1_GrantEvaluationResponse, _fairlead_session_v1_GrantEvaluationResponse__Output>
        IdleSession: MessageTypeDefinition<_fairlead_session_v1_IdleSession, _fairlead_session_v1_IdleSession__Output>
        ListDataRequest: MessageTypeDefinition<_fairlead_session_v1_ListDataRequest, _fairlead_session_v1_ListDataRequest__Output>
        ListDataResponse: MessageTypeDefinition<_fairlead_session_v1_ListDataResponse, _fairlead_session_v1_ListDataResponse__Output>
        ListDeletionsRequest: MessageTypeDefinition<_fairlead_session_v1_ListDeletionsRequest, _fairlead_session_v1_ListDeletionsRequest__Output>
        ListDeletionsResponse: MessageTypeDefinition<_fairlead_session_v1_ListDeletionsResponse, _fairlead_session_v1_ListDeletionsResponse__Output>
        ListEventsRequest: MessageTypeDefinition<_fairlead_session_v1_ListEventsRequest, _fairlead_session_v1_ListEventsRequest__Output>
        ListEventsResponse: MessageTypeDefinition<_fairlead_session_v1_ListEventsResponse, _fairlead_session_v1_ListEventsResponse__Output>
        ListIdleSessionsRequest: MessageTypeDefinition<_fairlead_session_v1_ListIdleSessionsRequest, _fairlead_session_v1_ListIdleSessionsRequest__Output>
        ListIdleSessionsResponse: MessageTypeDefinition<_fairlead_session_v1_ListIdleSessionsResponse, _fairlead_session_v1_ListIdleSessionsResponse__Output>
        ListOldDataRequest: MessageTypeDefinition<_fairlead_session_v1_ListOldDataRequest, _fairlead_session_v1_ListOldDataRequest__Output>
        ListOldDataResponse: MessageTypeDefinition<_fairlead_session_v1_ListOldDataResponse, _fairlead_session_v1_ListOldDataResponse__Output>
        ListSessionsRequest: MessageTypeDefinition<_fairlead_session_v1_ListSessionsRequest, _fairlead_session_v1_ListSessionsRequest__Output>
        ListSessionsResponse: MessageTypeDefinition<_fairlead_session_v1_ListSessionsResponse, _fairlead_session_v1_ListSessionsResponse__Output>
        OldItem: MessageTypeDefinition<_fairlead_session_v1_OldItem, _fairlead_session_v1_OldItem__Output>
        OldRun: MessageTypeDefinition<_fairlead_session_v1_OldRun, _fairlead_session_v1_OldRun__Output>
        ReadStorageRequest: MessageTypeDefinition<_fairlead_session_v1_ReadStorageRequest, _fairlead_session_v1_ReadStorageRequest__Output>
        ReadStorageResponse: MessageTypeDefinition<_fairlead_session_v1_ReadStorageResponse, _fairlead_session_v1_ReadStorageResponse__Output>
        Session: MessageTypeDefinition<_fairlead_session_v1_Session, _fairlead_session_v1_Session__Output>
        SessionService: SubtypeConstructor<typeof grpc.Client, _fairlead_session_v1_SessionServiceClient> & { service: _fairlead_session_v1_SessionServiceDefinition }
        StorageCount: MessageTypeDefinition<_fairlead_session_v1_StorageCount, _fairlead_session_v1_StorageCount__Output>
        StoredAmounts: MessageTypeDefinition<_fairlead_session_v1_StoredAmounts, _fairlead_session_v1_StoredAmounts__Output>
      }
    }
  }
  google: {
    protobuf: {
      Timestamp: MessageTypeDefinition<_google_protobuf_Timestamp, _google_protobuf_Timestamp__Output>
    }
  }
}

