import type * as grpc from '@grpc/grpc-js';
import type { EnumTypeDefinition, MessageTypeDefinition } from '@grpc/proto-loader';

import type { PipedFailure as _fairlead_common_v1_PipedFailure, PipedFailure__Output as _fairlead_common_v1_PipedFailure__Output } from './fairlead/common/v1/PipedFailure.ts';
import type { RunError as _fairlead_common_v1_RunError, RunError__Output as _fairlead_common_v1_RunError__Output } from './fairlead/common/v1/RunError.ts';
import type { RunRecord as _fairlead_common_v1_RunRecord, RunRecord__Output as _fairlead_common_v1_RunRecord__Output } from './fairlead/common/v1/RunRecord.ts';
import type { SessionKey as _fairlead_common_v1_SessionKey, SessionKey__Output as _fairlead_common_v1_SessionKey__Output } from './fairlead/common/v1/SessionKey.ts';
import type { CancelRunRequest as _fairlead_runner_v1_CancelRunRequest, CancelRunRequest__Output as _fairlead_runner_v1_CancelRunRequest__Output } from './fairlead/runner/v1/CancelRunRequest.ts';
import type { CancelRunResponse as _fairlead_runner_v1_CancelRunResponse, CancelRunResponse__Output as _fairlead_runner_v1_CancelRunResponse__Output } from './fairlead/runner/v1/CancelRunResponse.ts';
import type { DescribeAppRequest as _fairlead_runner_v1_DescribeAppRequest, DescribeAppRequest__Output as _fairlead_runner_v1_DescribeAppRequest__Output } from './fairlead/runner/v1/DescribeAppRequest.ts';
import type { DescribeAppResponse as _fairlead_runner_v1_DescribeAppResponse, DescribeAppResponse__Output as _fairlead_runner_v1_DescribeAppResponse__Output } from './fairlead/runner/v1/DescribeAppResponse.ts';
import type { EmittedEvent as _fairlead_runner_v1_EmittedEvent, EmittedEvent__Output as _fairlead_runner_v1_EmittedEvent__Output } from './fairlead/runner/v1/EmittedEvent.ts';
import type { ListAppsRequest as _fairlead_runner_v1_ListAppsRequest, ListAppsRequest__Output as _fairlead_runner_v1_ListAppsRequest__Output } from './fairlead/runner/v1/ListAppsRequest.ts';
import type { ListAppsResponse as _fairlead_runner_v1_ListAppsResponse, ListAppsResponse__Output as _fairlead_runner_v1_ListAppsResponse__Output } from './fairlead/runner/v1/ListAppsResponse.ts';
import type { LiveEmission as _fairlead_runner_v1_LiveEmission, LiveEmission__Output as _fairlead_runner_v1_LiveEmission__Output } from './fairlead/runner/v1/LiveEmission.ts';
import type { LiveInput as _fairlead_runner_v1_LiveInput, LiveInput__Output as _fairlead_runner_v1_LiveInput__Output } from './fairlead/runner/v1/LiveInput.ts';
import type { LiveInputsEnd as _fairlead_runner_v1_LiveInputsEnd, LiveInputsEnd__Output as _fairlead_runner_v1_LiveInputsEnd__Output } from './fairlead/runner/v1/LiveInputsEnd.ts';
import type { LiveProgress as _fairlead_runner_v1_LiveProgress, LiveProgress__Output as _fairlead_runner_v1_LiveProgress__Output } from './fairlead/runner/v1/LiveProgress.ts';
import type { PipedStart as _fairlead_runner_v1_PipedStart, PipedStart__Output as _fairlead_runner_v1_PipedStart__Output } from './fairlead/runner/v1/PipedStart.ts';
import type { PipedStarted as _fairlead_runner_v1_PipedStarted, PipedStarted__Output as _fairlead_runner_v1_PipedStarted__Output } from './fairlead/runner/v1/PipedStarted.ts';
import type { RunLiveRequest as _fairlead_runner_v1_RunLiveRequest, RunLiveRequest__Output as _fairlead_runner_v1_RunLiveRequest__Output } from './fairlead/runner/v1/RunLiveRequest.ts';
import type { RunLiveResponse as _fairlead_runner_v1_RunLiveResponse, RunLiveResponse__Output as _fairlead_runner_v1_RunLiveResponse__Output } from './fairlead/runner/v1/RunLiveResponse.ts';
import type { RunLiveStart as _fairlead_runner_v1_RunLiveStart, RunLiveStart__Output as _fairlead_runner_v1_RunLiveStart__Output } from './fairlead/runner/v1/RunLiveStart.ts';
import type { RunnerServiceClient as _fairlead_runner_v1_RunnerServiceClient, RunnerServiceDefinition as _fairlead_runner_v1_RunnerServiceDefinition } from './fairlead/runner/v1/RunnerService.ts';
import type { StartPipeRequest as _fairlead_runner_v1_StartPipeRequest, StartPipeRequest__Output as _fairlead_runner_v1_StartPipeRequest__Output } from './fairlead/runner/v1/StartPipeRequest.ts';
import type { StartPipeResponse as _fairlead_runner_v1_StartPipeResponse, StartPipeResponse__Output as _fairlead_runner_v1_StartPipeResponse__Output } from './fairlead/runner/v1/StartPipeResponse.ts';
import type { StartRunRequest as _fairlead_runner_v1_StartRunRequest, StartRunRequest__Output as _fairlead_runner_v1_StartRunRequest__Output } from './fairlead/runner/v1/StartRunRequest.ts';
import type { StartRunResponse as _fairlead_runner_v1_StartRunResponse, StartRunResponse__Output as _fairlead_runner_v1_StartRunResponse__Output } from './fairlead/runner/v1/StartRunResponse.ts';
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
        PipedFailure: MessageTypeDefinition<_fairlead_common_v1_PipedFailure, _fairlead_common_v1_PipedFailure__Output>
        RunError: MessageTypeDefinition<_fairlead_common_v1_RunError, _fairlead_common_v1_RunError__Output>
        RunRecord: MessageTypeDefinition<_fairlead_common_v1_RunRecord, _fairlead_common_v1_RunRecord__Output>
        RunStatus: EnumTypeDefinition
        SessionKey: MessageTypeDefinition<_fairlead_common_v1_SessionKey, _fairlead_common_v1_SessionKey__Output>
      }
    }
    runner: {
      v1: {
        CancelRunRequest: MessageTypeDefinition<_fairlead_runner_v1_CancelRunRequest, _fairlead_runner_v1_CancelRunRequest__Output>
        CancelRunResponse: MessageTypeDefinition<_fairlead_runner_v1_CancelRunResponse, _fairlead_runner_v1_CancelRunResponse__Output>
        DescribeAppRequest: MessageTypeDefinition<_fairlead_runner_v1_DescribeAppRequest, _fairlead_runner_v1_DescribeAppRequest__Output>
        DescribeAppResponse: MessageTypeDefinition<_fairlead_runner_v1_DescribeAppResponse, _fairlead_runner_v1_DescribeAppResponse__Output>
        EmittedEvent: MessageTypeDefinition<_fairlead_runner_v1_EmittedEvent, _fairlead_runner_v1_EmittedEvent__Output>
        ListAppsRequest: MessageTypeDefinition<_fairlead_runner_v1_ListAppsRequest, _fairlead_runner_v1_ListAppsRequest__Output>
        ListAppsResponse: MessageTypeDefinition<_fairlead_runner_v1_ListAppsResponse, _fairlead_runner_v1_ListAppsResponse__Output>
        LiveEmission: MessageTypeDefinition<_fairlead_runner_v1_LiveEmission, _fairlead_runner_v1_LiveEmission__Output>
        LiveInput: MessageTypeDefinition<_fairlead_runner_v1_LiveInput, _fairlead_runner_v1_LiveInput__Output>
        LiveInputsEnd: MessageTypeDefinition<_fairlead_runner_v1_LiveInputsEnd, _fairlead_runner_v1_LiveInputsEnd__Output>
        LiveProgress: MessageTypeDefinition<_fairlead_runner_v1_LiveProgress, _fairlead_runner_v1_LiveProgress__Output>
        PipedStart: MessageTypeDefinition<_fairlead_runner_v1_PipedStart, _fairlead_runner_v1_PipedStart__Output>
        PipedStarted: MessageTypeDefinition<_fairlead_runner_v1_PipedStarted, _fairlead_runner_v1_PipedStarted__Output>
        RunLiveRequest: MessageTypeDefinition<_fairlead_runner_v1_RunLiveRequest, _fairlead_runner_v1_RunLiveRequest__Output>
        RunLiveResponse: MessageTypeDefinition<_fairlead_runner_v1_RunLiveResponse, _fairlead_runner_v1_RunLiveResponse__Output>
        RunLiveStart: MessageTypeDefinition<_fairlead_runner_v1_RunLiveStart, _fairlead_runner_v1_RunLiveStart__Output>
        RunnerService: SubtypeConstructor<typeof grpc.Client, _fairlead_runner_v1_RunnerServiceClient> & { service: _fairlead_runner_v1_RunnerServiceDefinition }
        StartPipeRequest: MessageTypeDefinition<_fairlead_runner_v1_StartPipeRequest, _fairlead_runner_v1_StartPipeRequest__Output>
        StartPipeResponse: MessageTypeDefinition<_fairlead_runner_v1_StartPipeResponse, _fairlead_runner_v1_StartPipeResponse__Output>
        StartRunRequest: MessageTypeDefinition<_fairlead_runner_v1_StartRunRequest, _fairlead_runner_v1_StartRunRequest__Output>
        StartRunResponse: MessageTypeDefinition<_fairlead_runner_v1_StartRunResponse, _fairlead_runner_v1_StartRunResponse__Output>
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

