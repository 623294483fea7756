// Original file: fairlead/runner/v1/runner_service.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { CancelRunRequest as _fairlead_runner_v1_CancelRunRequest, CancelRunRequest__Output as _fairlead_runner_v1_CancelRunRequest__Output } from '../../../fairlead/runner/v1/CancelRunRequest.ts';
import type { CancelRunResponse as _fairlead_runner_v1_CancelRunResponse, CancelRunResponse__Output as _fairlead_runner_v1_CancelRunResponse__Output } from '../../../fairlead/runner/v1/CancelRunResponse.ts';
import type { DescribeAppRequest as _fairlead_runner_v1_DescribeAppRequest, DescribeAppRequest__Output as _fairlead_runner_v1_DescribeAppRequest__Output } from '../../../fairlead/runner/v1/DescribeAppRequest.ts';
import type { DescribeAppResponse as _fairlead_runner_v1_DescribeAppResponse, DescribeAppResponse__Output as _fairlead_runner_v1_DescribeAppResponse__Output } from '../../../fairlead/runner/v1/DescribeAppResponse.ts';
import type { ListAppsRequest as _fairlead_runner_v1_ListAppsRequest, ListAppsRequest__Output as _fairlead_runner_v1_ListAppsRequest__Output } from '../../../fairlead/runner/v1/ListAppsRequest.ts';
import type { ListAppsResponse as _fairlead_runner_v1_ListAppsResponse, ListAppsResponse__Output as _fairlead_runner_v1_ListAppsResponse__Output } from '../../../fairlead/runner/v1/ListAppsResponse.ts';
import type { RunLiveRequest as _fairlead_runner_v1_RunLiveRequest, RunLiveRequest__Output as _fairlead_runner_v1_RunLiveRequest__Output } from '../../../fairlead/runner/v1/RunLiveRequest.ts';
import type { RunLiveResponse as _fairlead_runner_v1_RunLiveResponse, RunLiveResponse__Output as _fairlead_runner_v1_RunLiveResponse__Output } from '../../../fairlead/runner/v1/RunLiveResponse.ts';
import type { StartPipeRequest as _fairlead_runner_v1_StartPipeRequest, StartPipeRequest__Output as _fairlead_runner_v1_StartPipeRequest__Output } from '../../../fairlead/runner/v1/StartPipeRequest.ts';
import type { StartPipeResponse as _fairlead_runner_v1_StartPipeResponse, StartPipeResponse__Output as _fairlead_runner_v1_StartPipeResponse__Output } from '../../../fairlead/runner/v1/StartPipeResponse.ts';
import type { StartRunRequest as _fairlead_runner_v1_StartRunRequest, StartRunRequest__Output as _fairlead_runner_v1_StartRunRequest__Output } from '../../../fairlead/runner/v1/StartRunRequest.ts';
import type { StartRunResponse as _fairlead_runner_v1_StartRunResponse, StartRunResponse__Output as _fairlead_runner_v1_StartRunResponse__Output } from '../../../fairlead/runner/v1/StartRunResponse.ts';

export interface RunnerServiceClient extends grpc.Client {
  CancelRun(argument: _fairlead_runner_v1_CancelRunRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_runner_v1_CancelRunResponse__Output>): grpc.ClientUnaryCall;
  CancelRun(argument: _fairlead_runner_v1_CancelRunRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_runner_v1_CancelRunResponse__Output>): grpc.ClientUnaryCall;
  CancelRun(argument: _fairlead_runner_v1_CancelRunRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_runner_v1_CancelRunResponse__Output>): grpc.ClientUnaryCall;
  CancelRun(argument: _fairlead_runner_v1_CancelRunRequest, callback: grpc.requestCallback<_fairlead_runner_v1_CancelRunResponse__Output>): grpc.ClientUnaryCall;
  cancelRun(argument: _fairlead_runner_v1_CancelRunRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_runner_v1_CancelRunResponse__Output>): grpc.ClientUnaryCall;
  cancelRun(argument: _fairlead_runner_v1_CancelRunRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_runner_v1_CancelRunResponse__Output>): grpc.ClientUnaryCall;
  cancelRun(argument: _fairlead_runner_v1_CancelRunRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_runner_v1_CancelRunResponse__Output>): grpc.ClientUnaryCall;
  cancelRun(argument: _fairlead_runner_v1_CancelRunRequest, callback: grpc.requestCallback<_fairlead_runner_v1_CancelRunResponse__Output>): grpc.ClientUnaryCall;
  
  DescribeApp(argument: _fairlead_runner_v1_DescribeAppRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_runner_v1_DescribeAppResponse__Output>): grpc.ClientUnaryCall;
  DescribeApp(argument: _fairlead_runner_v1_DescribeAppRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_runner_v1_DescribeAppResponse__Output>): grpc.ClientUnaryCall;
  DescribeApp(argument: _fairlead_runner_v1_DescribeAppRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_runner_v1_DescribeAppResponse__Output>): grpc.ClientUnaryCall;
  DescribeApp(argument: _fairlead_runner_v1_DescribeAppRequest, callback: grpc.requestCallback<_fairlead_runner_v1_DescribeAppResponse__Output>): grpc.ClientUnaryCall;
  describeApp(argument: _fairlead_runner_v1_DescribeAppRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_runner_v1_DescribeAppResponse__Output>): grpc.ClientUnaryCall;
  describeApp(argument: _fairlead_runner_v1_DescribeAppRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_runner_v1_DescribeAppResponse__Output>): grpc.ClientUnaryCall;
  describeApp(argument: _fairlead_runner_v1_DescribeAppRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_runner_v1_DescribeAppResponse__Output>): grpc.ClientUnaryCall;
  describeApp(argument: _fairlead_runner_v1_DescribeAppRequest, callback: grpc.requestCallback<_fairlead_runner_v1_DescribeAppResponse__Output>): grpc.ClientUnaryCall;
  
  ListApps(argument: _fairlead_runner_v1_ListAppsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_runner_v1_ListAppsResponse__Output>): grpc.ClientUnaryCall;
  ListApps(argument: _fairlead_runner_v1_ListAppsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_runner_v1_ListAppsResponse__Output>): grpc.ClientUnaryCall;
  ListApps(argument: _fairlead_runner_v1_ListAppsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_runner_v1_ListAppsResponse__Output>): grpc.ClientUnaryCall;
  ListApps(argument: _fairlead_runner_v1_ListAppsRequest, callback: grpc.requestCallback<_fairlead_runner_v1_ListAppsResponse__Output>): grpc.ClientUnaryCall;
  listApps(argument: _fairlead_runner_v1_ListAppsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_runner_v1_ListAppsResponse__Output>): grpc.ClientUnaryCall;
  listApps(argument: _fairlead_runner_v1_ListAppsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_runner_v1_ListAppsResponse__Output>): grpc.ClientUnaryCall;
  listApps(argument: _fairlead_runner_v1_ListAppsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_runner_v1_ListAppsResponse__Output>): grpc.ClientUnaryCall;
  listApps(argument: _fairlead_runner_v1_ListAppsRequest, callback: grpc.requestCallback<_fairlead_runner_v1_ListAppsResponse__Output>): grpc.ClientUnaryCall;
  
  RunLive(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_fairlead_runner_v1_RunLiveRequest, _fairlead_runner_v1_RunLiveResponse__Output>;
  RunLive(options?: grpc.CallOptions): grpc.ClientDuplexStream<_fairlead_runner_v1_RunLiveRequest, _fairlead_runner_v1_RunLiveResponse__Output>;
  runLive(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_fairlead_runner_v1_RunLiveRequest, _fairlead_runner_v1_RunLiveResponse__Output>;
  runLive(options?: grpc.CallOptions): grpc.ClientDuplexStream<_fairlead_runner_v1_RunLiveRequest, _fairlead_runner_v1_RunLiveResponse__Output>;
  
  StartPipe(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_fairlead_runner_v1_StartPipeRequest, _fairlead_runner_v1_StartPipeResponse__Output>;
  StartPipe(options?: grpc.CallOptions): grpc.ClientDuplexStream<_fairlead_runner_v1_StartPipeRequest, _fairlead_runner_v1_StartPipeResponse__Output>;
  startPipe(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_fairlead_runner_v1_StartPipeRequest, _fairlead_runner_v1_StartPipeResponse__Output>;
  startPipe(options?: grpc.CallOptions): grpc.ClientDuplexStream<_fairlead_runner_v1_StartPipeRequest, _fairlead_runner_v1_StartPipeResponse__Output>;
  
  StartRun(argument: _fairlead_runner_v1_StartRunRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_runner_v1_StartRunResponse__Output>): grpc.ClientUnaryCall;
  StartRun(argument: _fairlead_runner_v1_StartRunRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_runner_v1_StartRunResponse__Output>): grpc.ClientUnaryCall;
  StartRun(argument: _fairlead_runner_v1_StartRunRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_runner_v1_StartRunResponse__Output>): grpc.ClientUnaryCall;
  StartRun(argument: _fairlead_runner_v1_StartRunRequest, callback: grpc.requestCallback<_fairlead_runner_v1_StartRunResponse__Output>): grpc.ClientUnaryCall;
  startRun(argument: _fairlead_runner_v1_StartRunRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_runner_v1_StartRunResponse__Output>): grpc.ClientUnaryCall;
  startRun(argument: _fairlead_runner_v1_StartRunRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_runner_v1_StartRunResponse__Output>): grpc.ClientUnaryCall;
  startRun(argument: _fairlead_runner_v1_StartRunRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_runner_v1_StartRunResponse__Output>): grpc.ClientUnaryCall;
  startRun(argument: _fairlead_runner_v1_StartRunRequest, callback: grpc.requestCallback<_fairlead_runner_v1_StartRunResponse__Output>): grpc.ClientUnaryCall;
  
}

export interface RunnerServiceHandlers extends grpc.UntypedServiceImplementation {
  CancelRun: grpc.handleUnaryCall<_fairlead_runner_v1_CancelRunRequest__Output, _fairlead_runner_v1_CancelRunResponse>;
  
  DescribeApp: grpc.handleUnaryCall<_fairlead_runner_v1_DescribeAppRequest__Output, _fairlead_runner_v1_DescribeAppResponse>;
  
  ListApps: grpc.handleUnaryCall<_fairlead_runner_v1_ListAppsRequest__Output, _fairlead_runner_v1_ListAppsResponse>;
  
  RunLive: grpc.handleBidiStreamingCall<_fairlead_runner_v1_RunLiveRequest__Output, _fairlead_runner_v1_RunLiveResponse>;
  
  StartPipe: grpc.handleBidiStreamingCall<_fairlead_runner_v1_StartPipeRequest__Output, _fairlead_runner_v1_StartPipeResponse>;
  
  StartRun: grpc.handleUnaryCall<_fairlead_runner_v1_StartRunRequest__Output, _fairlead_runner_v1_StartRunResponse>;
  
}

export interface RunnerServiceDefinition extends grpc.ServiceDefinition {
  CancelRun: MethodDefinition<_fairlead_runner_v1_CancelRunRequest, _fairlead_runner_v1_CancelRunResponse, _fairlead_runner_v1_CancelRunRequest__Output, _fairlead_runner_v1_CancelRunResponse__Output>
  DescribeApp: MethodDefinition<_fairlead_runner_v1_DescribeAppRequest, _fairlead_runner_v1_DescribeAppResponse, _fairlead_runner_v1_DescribeAppRequest__Output, _fairlead_runner_v1_DescribeAppResponse__Output>
  ListApps: MethodDefinition<_fairlead_runner_v1_ListAppsRequest, _fairlead_runner_v1_ListAppsResponse, _fairlead_runner_v1_ListAppsRequest__Output, _fairlead_runner_v1_ListAppsResponse__Output>
  RunLive: MethodDefinition<_fairlead_runner_v1_RunLiveRequest, _fairlead_runner_v1_RunLiveResponse, _fairlead_runner_v1_RunLiveRequest__Output, _fairlead_runner_v1_RunLiveResponse__Output>
  StartPipe: MethodDefinition<_fairlead_runner_v1_StartPipeRequest, _fairlead_runner_v1_StartPipeResponse, _fairlead_runner_v1_StartPipeRequest__Output, _fairlead_runner_v1_StartPipeResponse__Output>
  StartRun: MethodDefinition<_fairlead_runner_v1_StartRunRequest, _fairlead_runner_v1_StartRunResponse, _fairlead_runner_v1_StartRunRequest__Output, _fairlead_runner_v1_StartRunResponse__Output>
}
