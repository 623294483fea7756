import type * as grpc from '@grpc/grpc-js';
import type { EnumTypeDefinition, MessageTypeDefinition } from '@grpc/proto-loader';

import type { Event as _fairlead_common_v1_Event, Event__Output as _fairlead_common_v1_Event__Output } from './fairlead/common/v1/Event.ts';
import type { PipedFailure as _fairlead_common_v1_PipedFailure, PipedFailure__Output as _fairlead_common_v1_PipedFailure__Output } from './fairlead/common/v1/PipedFailure.ts';
import type { RunError as _fairlead_common_v1_RunError, RunError__Output as _fairlead_common_v1_RunError__Output } from './fairlead/common/v1/RunError.ts';
import type { RunRecord as _fairlead_common_v1_RunRecord, RunRecord__Output as _fairlead_common_v1_RunRecord__Output } from './fairlead/common/v1/RunRecord.ts';
import type { SessionKey as _fairlead_common_v1_SessionKey, SessionKey__Output as _fairlead_common_v1_SessionKey__Output } from './fairlead/common/v1/SessionKey.ts';
import type { AppendEventsRequest as _fairlead_session_v1_AppendEventsRequest, AppendEventsRequest__Output as _fairlead_session_v1_AppendEventsRequest__Output } from './fairlead/session/v1/AppendEventsRequest.ts';
import type { AppendEventsResponse as _fairlead_session_v1_AppendEventsResponse, AppendEventsResponse__Output as _fairlead_session_v1_AppendEventsResponse__Output } from './fairlead/session/v1/AppendEventsResponse.ts';
import type { BatchGetHeadsRequest as _fairlead_session_v1_BatchGetHeadsRequest, BatchGetHeadsRequest__Output as _fairlead_session_v1_BatchGetHeadsRequest__Output } from './fairlead/session/v1/BatchGetHeadsRequest.ts';
import type { BatchGetHeadsResponse as _fairlead_session_v1_BatchGetHeadsResponse, BatchGetHeadsResponse__Output as _fairlead_session_v1_BatchGetHeadsResponse__Output } from './fairlead/session/v1/BatchGetHeadsResponse.ts';
import type { BeginRunRequest as _fairlead_session_v1_BeginRunRequest, BeginRunRequest__Output as _fairlead_session_v1_BeginRunRequest__Output } from './fairlead/session/v1/BeginRunRequest.ts';
import type { BeginRunResponse as _fairlead_session_v1_BeginRunResponse, BeginRunResponse__Output as _fairlead_session_v1_BeginRunResponse__Output } from './fairlead/session/v1/BeginRunResponse.ts';
import type { FinishRunRequest as _fairlead_session_v1_FinishRunRequest, FinishRunRequest__Output as _fairlead_session_v1_FinishRunRequest__Output } from './fairlead/session/v1/FinishRunRequest.ts';
import type { FinishRunResponse as _fairlead_session_v1_FinishRunResponse, FinishRunResponse__Output as _fairlead_session_v1_FinishRunResponse__Output } from './fairlead/session/v1/FinishRunResponse.ts';
import type { GetRunRequest as _fairlead_session_v1_GetRunRequest, GetRunRequest__Output as _fairlead_session_v1_GetRunRequest__Output } from './fairlead/session/v1/GetRunRequest.ts';
import type { GetRunResponse as _fairlead_session_v1_GetRunResponse, GetRunResponse__Output as _fairlead_session_v1_GetRunResponse__Output } from './fairlead/session/v1/GetRunResponse.ts';
import type { HistoryStart as _fairlead_session_v1_HistoryStart, HistoryStart__Output as _fairlead_session_v1_HistoryStart__Output } from './fairlead/session/v1/HistoryStart.ts';
import type { JournalHead as _fairlead_session_v1_JournalHead, JournalHead__Output as _fairlead_session_v1_JournalHead__Output } from './fairlead/session/v1/JournalHead.ts';
import type { JournalPipeRequest as _fairlead_session_v1_JournalPipeRequest, JournalPipeRequest__Output as _fairlead_session_v1_JournalPipeRequest__Output } from './fairlead/session/v1/JournalPipeRequest.ts';
import type { JournalPipeResponse as _fairlead_session_v1_JournalPipeResponse, JournalPipeResponse__Output as _fairlead_session_v1_JournalPipeResponse__Output } from './fairlead/session/v1/JournalPipeResponse.ts';
import type { Lease as _fairlead_session_v1_Lease, Lease__Output as _fairlead_session_v1_Lease__Output } from './fairlead/session/v1/Lease.ts';
import type { ListAbandonedRunsRequest as _fairlead_session_v1_ListAbandonedRunsRequest, ListAbandonedRunsRequest__Output as _fairlead_session_v1_ListAbandonedRunsRequest__Output } from './fairlead/session/v1/ListAbandonedRunsRequest.ts';
import type { ListAbandonedRunsResponse as _fairlead_session_v1_ListAbandonedRunsResponse, ListAbandonedRunsResponse__Output as _fairlead_session_v1_ListAbandonedRunsResponse__Output } from './fairlead/session/v1/ListAbandonedRunsResponse.ts';
import type { ListRunsRequest as _fairlead_session_v1_ListRunsRequest, ListRunsRequest__Output as _fairlead_session_v1_ListRunsRequest__Output } from './fairlead/session/v1/ListRunsRequest.ts';
import type { ListRunsResponse as _fairlead_session_v1_ListRunsResponse, ListRunsResponse__Output as _fairlead_session_v1_ListRunsResponse__Output } from './fairlead/session/v1/ListRunsResponse.ts';
import type { PipedAnswer as _fairlead_session_v1_PipedAnswer, PipedAnswer__Output as _fairlead_session_v1_PipedAnswer__Output } from './fairlead/session/v1/PipedAnswer.ts';
import type { PipedRequest as _fairlead_session_v1_PipedRequest, PipedRequest__Output as _fairlead_session_v1_PipedRequest__Output } from './fairlead/session/v1/PipedRequest.ts';
import type { ReleaseRunRequest as _fairlead_session_v1_ReleaseRunRequest, ReleaseRunRequest__Output as _fairlead_session_v1_ReleaseRunRequest__Output } from './fairlead/session/v1/ReleaseRunRequest.ts';
import type { ReleaseRunResponse as _fairlead_session_v1_ReleaseRunResponse, ReleaseRunResponse__Output as _fairlead_session_v1_ReleaseRunResponse__Output } from './fairlead/session/v1/ReleaseRunResponse.ts';
import type { RenewLeaseRequest as _fairlead_session_v1_RenewLeaseRequest, RenewLeaseRequest__Output as _fairlead_session_v1_RenewLeaseRequest__Output } from './fairlead/session/v1/RenewLeaseRequest.ts';
import type { RenewLeaseResponse as _fairlead_session_v1_RenewLeaseResponse, RenewLeaseResponse__Output as _fairlead_session_v1_RenewLeaseResponse__Output } from './fairlead/session/v1/RenewLeaseResponse.ts';
import type { RequestCancelRequest as _fairlead_session_v1_RequestCancelRequest, RequestCancelRequest__Output as _fairlead_session_v1_RequestCancelRequest__Output } from './fairlead/session/v1/RequestCancelRequest.ts';
import type { RequestCancelResponse as _fairlead_session_v1_RequestCancelResponse, RequestCancelResponse__Output as _fairlead_session_v1_RequestCancelResponse__Output } from './fairlead/session/v1/RequestCancelResponse.ts';
import type { RunExisting as _fairlead_session_v1_RunExisting, RunExisting__Output as _fairlead_session_v1_RunExisting__Output } from './fairlead/session/v1/RunExisting.ts';
import type { RunJournalServiceClient as _fairlead_session_v1_RunJournalServiceClient, RunJournalServiceDefinition as _fairlead_session_v1_RunJournalServiceDefinition } from './fairlead/session/v1/RunJournalService.ts';
import type { RunQueued as _fairlead_session_v1_RunQueued, RunQueued__Output as _fairlead_session_v1_RunQueued__Output } from './fairlead/session/v1/RunQueued.ts';
import type { RunStarted as _fairlead_session_v1_RunStarted, RunStarted__Output as _fairlead_session_v1_RunStarted__Output } from './fairlead/session/v1/RunStarted.ts';
import type { RunningRun as _fairlead_session_v1_RunningRun, RunningRun__Output as _fairlead_session_v1_RunningRun__Output } from './fairlead/session/v1/RunningRun.ts';
import type { SessionHead as _fairlead_session_v1_SessionHead, SessionHead__Output as _fairlead_session_v1_SessionHead__Output } from './fairlead/session/v1/SessionHead.ts';
import type { SessionSnapshot as _fairlead_session_v1_SessionSnapshot, SessionSnapshot__Output as _fairlead_session_v1_SessionSnapshot__Output } from './fairlead/session/v1/SessionSnapshot.ts';
import type { SignGrantRequest as _fairlead_session_v1_SignGrantRequest, SignGrantRequest__Output as _fairlead_session_v1_SignGrantRequest__Output } from './fairlead/session/v1/SignGrantRequest.ts';
import type { SignGrantResponse as _fairlead_session_v1_SignGrantResponse, SignGrantResponse__Output as _fairlead_session_v1_SignGrantResponse__Output } from './fairlead/session/v1/SignGrantResponse.ts';
import type { Duration as _google_protobuf_Duration, Duration__Output as _google_protobuf_Duration__Output } from './google/protobuf/Duration.ts';
import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from './google/protobuf/Timestamp.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  fairlead: {
    common: {
      v1: {
        ConcurrencyPolicy: EnumTypeDefinition
        Event: MessageTypeDefinition<_fairlead_common_v1_Event, _fairlead_common_v1_Event__Output>
        PipedFailure: MessageTypeDefinition<_fairlead_common_v1_PipedFailure, _fairlead_common_v1_PipedFailure__Output>
        RunError: MessageTypeDefinition<_fairlead_common_v1_RunError, _fairlead_common_v1_RunError__Output>
        RunRecord: MessageTypeDefinition<_fairlead_common_v1_RunRecord, _fairlead_common_v1_RunRecord__Output>
        RunStatus: EnumTypeDefinition
        SessionKey: MessageTypeDefinition<_fairlead_common_v1_SessionKey, _fairlead_common_v1_SessionKey__Output>
      }
    }
    session: {
      v1: {
        AppendEventsRequest: MessageTypeDefinition<_fairlead_session_v1_AppendEventsRequest, _fairlead_session_v1_AppendEventsRequest__Output>
        AppendEventsResponse: MessageTypeDefinition<_fairlead_session_v1_AppendEventsResponse, _fairlead_session_v1_AppendEventsResponse__Output>
        BatchGetHeadsRequest: MessageTypeDefinition<_fairlead_session_v1_BatchGetHeadsRequest, _fairlead_session_v1_BatchGetHeadsRequest__Output>
        BatchGetHeadsResponse: MessageTypeDefinition<_fairlead_session_v1_BatchGetHeadsResponse, _fairlead_session_v1_BatchGetHeadsResponse__Output>
        BeginRunRequest: MessageTypeDefinition<_fairlead_session_v1_BeginRunRequest, _fairlead_session_v1_BeginRunRequest__Output>
        BeginRunResponse: MessageTypeDefinition<_fairlead_session_v1_BeginRunResponse, _fairlead_session_v1_BeginRunResponse__Output>
        FinishRunRequest: MessageTypeDefinition<_fairlead_session_v1_FinishRunRequest, _fairlead_session_v1_FinishRunRequest__Output>
        FinishRunResponse: MessageTypeDefinition<_fairlead_session_v1_FinishRunResponse, _fairlead_session_v1_FinishRunResponse__Output>
        GetRunRequest: MessageTypeDefinition<_fairlead_session_v1_GetRunRequest, _fairlead_session_v1_GetRunRequest__Output>
        GetRunResponse: MessageTypeDefinition<_fairlead_session_v1_GetRunResponse, _fairlead_session_v1_GetRunResponse__Output>
        HistoryStart: MessageTypeDefinition<_fairlead_session_v1_HistoryStart, _fairlead_session_v1_HistoryStart__Output>
        JournalHead: MessageTypeDefinition<_fairlead_session_v1_JournalHead, _fairlead_session_v1_JournalHead__Output>
        JournalPipeRequest: MessageTypeDefinition<_fairlead_session_v1_JournalPipeRequest, _fairlead_session_v1_JournalPipeRequest__Output>
        JournalPipeResponse: MessageTypeDefinition<_fairlead_session_v1_JournalPipeResponse, _fairlead_session_v1_JournalPipeResponse__Output>
        Lease: MessageTypeDefinition<_fairlead_session_v1_Lease, _fairlead_session_v1_Lease__Output>
        ListAbandonedRunsRequest: MessageTypeDefinition<_fairlead_session_v1_ListAbandonedRunsRequest, _fairlead_session_v1_ListAbandonedRunsRequest__Output>
        ListAbandonedRunsResponse: MessageTypeDefinition<_fairlead_session_v1_ListAbandonedRunsResponse, _fairlead_session_v1_ListAbandonedRunsResponse__Output>
        ListRunsRequest: MessageTypeDefinition<_fairlead_session_v1_ListRunsRequest, _fairlead_session_v1_ListRunsRequest__Output>
        ListRunsResponse: MessageTypeDefinition<_fairlead_session_v1_ListRunsResponse, _fairlead_session_v1_ListRunsResponse__Output>
        PipedAnswer: MessageTypeDefinition<_fairlead_session_v1_PipedAnswer, _fairlead_session_v1_PipedAnswer__Output>
        PipedRequest: MessageTypeDefinition<_fairlead_session_v1_PipedRequest, _fairlead_session_v1_PipedRequest__Output>
        ReleaseRunRequest: MessageTypeDefinition<_fairlead_session_v1_ReleaseRunRequest, _fairlead_session_v1_ReleaseRunRequest__Output>
        ReleaseRunResponse: MessageTypeDefinition<_fairlead_session_v1_ReleaseRunResponse, _fairlead_session_v1_ReleaseRunResponse__Output>
        RenewLeaseRequest: MessageTypeDefinition<_fairlead_session_v1_RenewLeaseRequest, _fairlead_session_v1_RenewLeaseRequest__Output>
        RenewLeaseResponse: MessageTypeDefinition<_fairlead_session_v1_RenewLeaseResponse, _fairlead_session_v1_RenewLeaseResponse__Output>
        RequestCancelRequest: MessageTypeDefinition<_fairlead_session_v1_RequestCancelRequest, _fairlead_session_v1_RequestCancelRequest__Output>
        RequestCancelResponse: MessageTypeDefinition<_fairlead_session_v1_RequestCancelResponse, _fairlead_session_v1_RequestCancelResponse__Output>
        RunExisting: MessageTypeDefinition<_fairlead_session_v1_RunExisting, _fairlead_session_v1_RunExisting__Output>
        RunJournalService: SubtypeConstructor<typeof grpc.Client, _fairlead_session_v1_RunJournalServiceClient> & { service: _fairlead_session_v1_RunJournalServiceDefinition }
        RunQueued: MessageTypeDefinition<_fairlead_session_v1_RunQueued, _fairlead_session_v1_RunQueued__Output>
        RunScope: EnumTypeDefinition
        RunStarted: MessageTypeDefinition<_fairlead_session_v1_RunStarted, _fairlead_session_v1_RunStarted__Output>
        RunningRun: MessageTypeDefinition<_fairlead_session_v1_RunningRun, _fairlead_session_v1_RunningRun__Output>
        SessionHead: MessageTypeDefinition<_fairlead_session_v1_SessionHead, _fairlead_session_v1_SessionHead__Output>
        SessionSnapshot: MessageTypeDefinition<_fairlead_session_v1_SessionSnapshot, _fairlead_session_v1_SessionSnapshot__Output>
        SignGrantRequest: MessageTypeDefinition<_fairlead_session_v1_SignGrantRequest, _fairlead_session_v1_SignGrantRequest__Output>
        SignGrantResponse: MessageTypeDefinition<_fairlead_session_v1_SignGrantResponse, _fairlead_session_v1_SignGrantResponse__Output>
      }
    }
  }
  google: {
    protobuf: {
      Duration: MessageTypeDefinition<_google_protobuf_Duration, _google_protobuf_Duration__Output>
      Timestamp: MessageTypeDefinition<_google_protobuf_Timestamp, _google_protobuf_Timestamp__Output>
    }
  }
}

