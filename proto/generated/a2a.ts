import type * as grpc from '@grpc/grpc-js';
import type { EnumTypeDefinition, MessageTypeDefinition } from '@grpc/proto-loader';

import type { Empty as _google_protobuf_Empty, Empty__Output as _google_protobuf_Empty__Output } from './google/protobuf/Empty.ts';
import type { ListValue as _google_protobuf_ListValue, ListValue__Output as _google_protobuf_ListValue__Output } from './google/protobuf/ListValue.ts';
import type { Struct as _google_protobuf_Struct, Struct__Output as _google_protobuf_Struct__Output } from './google/protobuf/Struct.ts';
import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from './google/protobuf/Timestamp.ts';
import type { Value as _google_protobuf_Value, Value__Output as _google_protobuf_Value__Output } from './google/protobuf/Value.ts';
import type { A2AServiceClient as _lf_a2a_v1_A2AServiceClient, A2AServiceDefinition as _lf_a2a_v1_A2AServiceDefinition } from './lf/a2a/v1/A2AService.ts';
import type { APIKeySecurityScheme as _lf_a2a_v1_APIKeySecurityScheme, APIKeySecurityScheme__Output as _lf_a2a_v1_APIKeySecurityScheme__Output } from './lf/a2a/v1/APIKeySecurityScheme.ts';
import type { AgentCapabilities as _lf_a2a_v1_AgentCapabilities, AgentCapabilities__Output as _lf_a2a_v1_AgentCapabilities__Output } from './lf/a2a/v1/AgentCapabilities.ts';
import type { AgentCard as _lf_a2a_v1_AgentCard, AgentCard__Output as _lf_a2a_v1_AgentCard__Output } from './lf/a2a/v1/AgentCard.ts';
import type { AgentCardSignature as _lf_a2a_v1_AgentCardSignature, AgentCardSignature__Output as _lf_a2a_v1_AgentCardSignature__Output } from './lf/a2a/v1/AgentCardSignature.ts';
import type { AgentExtension as _lf_a2a_v1_AgentExtension, AgentExtension__Output as _lf_a2a_v1_AgentExtension__Output } from './lf/a2a/v1/AgentExtension.ts';
import type { AgentInterface as _lf_a2a_v1_AgentInterface, AgentInterface__Output as _lf_a2a_v1_AgentInterface__Output } from './lf/a2a/v1/AgentInterface.ts';
import type { AgentProvider as _lf_a2a_v1_AgentProvider, AgentProvider__Output as _lf_a2a_v1_AgentProvider__Output } from './lf/a2a/v1/AgentProvider.ts';
import type { AgentSkill as _lf_a2a_v1_AgentSkill, AgentSkill__Output as _lf_a2a_v1_AgentSkill__Output } from './lf/a2a/v1/AgentSkill.ts';
import type { Artifact as _lf_a2a_v1_Artifact, Artifact__Output as _lf_a2a_v1_Artifact__Output } from './lf/a2a/v1/Artifact.ts';
import type { AuthenticationInfo as _lf_a2a_v1_AuthenticationInfo, AuthenticationInfo__Output as _lf_a2a_v1_AuthenticationInfo__Output } from './lf/a2a/v1/AuthenticationInfo.ts';
import type { AuthorizationCodeOAuthFlow as _lf_a2a_v1_AuthorizationCodeOAuthFlow, AuthorizationCodeOAuthFlow__Output as _lf_a2a_v1_AuthorizationCodeOAuthFlow__Output } from './lf/a2a/v1/AuthorizationCodeOAuthFlow.ts';
import type { CancelTaskRequest as _lf_a2a_v1_CancelTaskRequest, CancelTaskRequest__Output as _lf_a2a_v1_CancelTaskRequest__Output } from './lf/a2a/v1/CancelTaskRequest.ts';
import type { ClientCredentialsOAuthFlow as _lf_a2a_v1_ClientCredentialsOAuthFlow, ClientCredentialsOAuthFlow__Output as _lf_a2a_v1_ClientCredentialsOAuthFlow__Output } from './lf/a2a/v1/ClientCredentialsOAuthFlow.ts';
import type { DeleteTaskPushNotificationConfigRequest as _lf_a2a_v1_DeleteTaskPushNotificationConfigRequest, DeleteTaskPushNotificationConfigRequest__Output as _lf_a2a_v1_DeleteTaskPushNotificationConfigRequest__Output } from './lf/a2a/v1/DeleteTaskPushNotificationConfigRequest.ts';
import type { DeviceCodeOAuthFlow as _lf_a2a_v1_DeviceCodeOAuthFlow, DeviceCodeOAuthFlow__Output as _lf_a2a_v1_DeviceCodeOAuthFlow__Output } from './lf/a2a/v1/DeviceCodeOAuthFlow.ts';
import type { GetExtendedAgentCardRequest as _lf_a2a_v1_GetExtendedAgentCardRequest, GetExtendedAgentCardRequest__Output as _lf_a2a_v1_GetExtendedAgentCardRequest__Output } from './lf/a2a/v1/GetExtendedAgentCardRequest.ts';
import type { GetTaskPushNotificationConfigRequest as _lf_a2a_v1_GetTaskPushNotificationConfigRequest, GetTaskPushNotificationConfigRequest__Output as _lf_a2a_v1_GetTaskPushNotificationConfigRequest__Output } from './lf/a2a/v1/GetTaskPushNotificationConfigRequest.ts';
import type { GetTaskRequest as _lf_a2a_v1_GetTaskRequest, GetTaskRequest__Output as _lf_a2a_v1_GetTaskRequest__Output } from './lf/a2a/v1/GetTaskRequest.ts';
import type { HTTPAuthSecurityScheme as _lf_a2a_v1_HTTPAuthSecurityScheme, HTTPAuthSecurityScheme__Output as _lf_a2a_v1_HTTPAuthSecurityScheme__Output } from './lf/a2a/v1/HTTPAuthSecurityScheme.ts';
import type { ImplicitOAuthFlow as _lf_a2a_v1_ImplicitOAuthFlow, ImplicitOAuthFlow__Output as _lf_a2a_v1_ImplicitOAuthFlow__Output } from './lf/a2a/v1/ImplicitOAuthFlow.ts';
import type { ListTaskPushNotificationConfigsRequest as _lf_a2a_v1_ListTaskPushNotificationConfigsRequest, ListTaskPushNotificationConfigsRequest__Output as _lf_a2a_v1_ListTaskPushNotificationConfigsRequest__Output } from './lf/a2a/v1/ListTaskPushNotificationConfigsRequest.ts';
import type { ListTaskPushNotificationConfigsResponse as _lf_a2a_v1_ListTaskPushNotificationConfigsResponse, ListTaskPushNotificationConfigsResponse__Output as _lf_a2a_v1_ListTaskPushNotificationConfigsResponse__Output } from './lf/a2a/v1/ListTaskPushNotificationConfigsResponse.ts';
import type { ListTasksRequest as _lf_a2a_v1_ListTasksRequest, ListTasksRequest__Output as _lf_a2a_v1_ListTasksRequest__Output } from './lf/a2a/v1/ListTasksRequest.ts';
import type { ListTasksResponse as _lf_a2a_v1_ListTasksResponse, ListTasksResponse__Output as _lf_a2a_v1_ListTasksResponse__Output } from './lf/a2a/v1/ListTasksResponse.ts';
import type { Message as _lf_a2a_v1_Message, Message__Output as _lf_a2a_v1_Message__Output } from './lf/a2a/v1/Message.ts';
import type { MutualTlsSecurityScheme as _lf_a2a_v1_MutualTlsSecurityScheme, MutualTlsSecurityScheme__Output as _lf_a2a_v1_MutualTlsSecurityScheme__Output } from './lf/a2a/v1/MutualTlsSecurityScheme.ts';
import type { OAuth2SecurityScheme as _lf_a2a_v1_OAuth2SecurityScheme, OAuth2SecurityScheme__Output as _lf_a2a_v1_OAuth2SecurityScheme__Output } from './lf/a2a/v1/OAuth2SecurityScheme.ts';
import type { OAuthFlows as _lf_a2a_v1_OAuthFlows, OAuthFlows__Output as _lf_a2a_v1_OAuthFlows__Output } from './lf/a2a/v1/OAuthFlows.ts';
import type { OpenIdConnectSecurityScheme as _lf_a2a_v1_OpenIdConnectSecurityScheme, OpenIdConnectSecurityScheme__Output as _lf_a2a_v1_OpenIdConnectSecurityScheme__Output } from './lf/a2a/v1/OpenIdConnectSecurityScheme.ts';
import type { Part as _lf_a2a_v1_Part, Part__Output as _lf_a2a_v1_Part__Output } from './lf/a2a/v1/Part.ts';
import type { PasswordOAuthFlow as _lf_a2a_v1_PasswordOAuthFlow, PasswordOAuthFlow__Output as _lf_a2a_v1_PasswordOAuthFlow__Output } from './lf/a2a/v1/PasswordOAuthFlow.ts';
import type { SecurityRequirement as _lf_a2a_v1_SecurityRequirement, SecurityRequirement__Output as _lf_a2a_v1_SecurityRequirement__Output } from './lf/a2a/v1/SecurityRequirement.ts';
import type { SecurityScheme as _lf_a2a_v1_SecurityScheme, SecurityScheme__Output as _lf_a2a_v1_SecurityScheme__Output } from './lf/a2a/v1/SecurityScheme.ts';
import type { SendMessageConfiguration as _lf_a2a_v1_SendMessageConfiguration, SendMessageConfiguration__Output as _lf_a2a_v1_SendMessageConfiguration__Output } from './lf/a2a/v1/SendMessageConfiguration.ts';
import type { SendMessageRequest as _lf_a2a_v1_SendMessageRequest, SendMessageRequest__Output as _lf_a2a_v1_SendMessageRequest__Output } from './lf/a2a/v1/SendMessageRequest.ts';
import type { SendMessageResponse as _lf_a2a_v1_SendMessageResponse, SendMessageResponse__Output as _lf_a2a_v1_SendMessageResponse__Output } from './lf/a2a/v1/SendMessageResponse.ts';
import type { StreamResponse as _lf_a2a_v1_StreamResponse, StreamResponse__Output as _lf_a2a_v1_StreamResponse__Output } from './lf/a2a/v1/StreamResponse.ts';
import type { StringList as _lf_a2a_v1_StringList, StringList__Output as _lf_a2a_v1_StringList__Output } from './lf/a2a/v1/StringList.ts';
import type { SubscribeToTaskRequest as _lf_a2a_v1_SubscribeToTaskRequest, SubscribeToTaskRequest__Output as _lf_a2a_v1_SubscribeToTaskRequest__Output } from './lf/a2a/v1/SubscribeToTaskRequest.ts';
import type { Task as _lf_a2a_v1_Task, Task__Output as _lf_a2a_v1_Task__Output } from './lf/a2a/v1/Task.ts';
import type { TaskArtifactUpdateEvent as _lf_a2a_v1_TaskArtifactUpdateEvent, TaskArtifactUpdateEvent__Output as _lf_a2a_v1_TaskArtifactUpdateEvent__Output } from './lf/a2a/v1/TaskArtifactUpdateEvent.ts';
import type { TaskPushNotificationConfig as _lf_a2a_v1_TaskPushNotificationConfig, TaskPushNotificationConfig__Output as _lf_a2a_v1_TaskPushNotificationConfig__Output } from './lf/a2a/v1/TaskPushNotificationConfig.ts';
import type { TaskStatus as _lf_a2a_v1_TaskStatus, TaskStatus__Output as _lf_a2a_v1_TaskStatus__Output } from './lf/a2a/v1/TaskStatus.ts';
import type { TaskStatusUpdateEvent as _lf_a2a_v1_TaskStatusUpdateEvent, TaskStatusUpdateEvent__Output as _lf_a2a_v1_TaskStatusUpdateEvent__Output } from './lf/a2a/v1/TaskStatusUpdateEvent.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  google: {
    protobuf: {
      Empty: MessageTypeDefinition<_google_protobuf_Empty, _google_protobuf_Empty__Output>
      ListValue: MessageTypeDefinition<_google_protobuf_ListValue, _google_protobuf_ListValue__Output>
      NullValue: EnumTypeDefinition
      Struct: MessageTypeDefinition<_google_protobuf_Struct, _google_protobuf_Struct__Output>
      Timestamp: MessageTypeDefinition<_google_protobuf_Timestamp, _google_protobuf_Timestamp__Output>
      Value: MessageTypeDefinition<_google_protobuf_Value, _google_protobuf_Value__Output>
    }
  }
  lf: {
    a2a: {
      v1: {
        A2AService: SubtypeConstructor<typeof grpc.Client, _lf_a2a_v1_A2AServiceClient> & { service: _lf_a2a_v1_A2AServiceDefinition }
        APIKeySecurityScheme: MessageTypeDefinition<_lf_a2a_v1_APIKeySecurityScheme, _lf_a2a_v1_APIKeySecurityScheme__Output>
        AgentCapabilities: MessageTypeDefinition<_lf_a2a_v1_AgentCapabilities, _lf_a2a_v1_AgentCapabilities__Output>
        AgentCard: MessageTypeDefinition<_lf_a2a_v1_AgentCard, _lf_a2a_v1_AgentCard__Output>
        AgentCardSignature: MessageTypeDefinition<_lf_a2a_v1_AgentCardSignature, _lf_a2a_v1_AgentCardSignature__Output>
        AgentExtension: MessageTypeDefinition<_lf_a2a_v1_AgentExtension, _lf_a2a_v1_AgentExtension__Output>
        AgentInterface: MessageTypeDefinition<_lf_a2a_v1_AgentInterface, _lf_a2a_v1_AgentInterface__Output>
        AgentProvider: MessageTypeDefinition<_lf_a2a_v1_AgentProvider, _lf_a2a_v1_AgentProvider__Output>
        AgentSkill: MessageTypeDefinition<_lf_a2a_v1_AgentSkill, _lf_a2a_v1_AgentSkill__Output>
        Artifact: MessageTypeDefinition<_lf_a2a_v1_Artifact, _lf_a2a_v1_Artifact__Output>
        AuthenticationInfo: MessageTypeDefinition<_lf_a2a_v1_AuthenticationInfo, _lf_a2a_v1_AuthenticationInfo__Output>
        AuthorizationCodeOAuthFlow: MessageTypeDefinition<_lf_a2a_v1_AuthorizationCodeOAuthFlow, _lf_a2a_v1_AuthorizationCodeOAuthFlow__Output>
        CancelTaskRequest: MessageTypeDefinition<_lf_a2a_v1_CancelTaskRequest, _lf_a2a_v1_CancelTaskRequest__Output>
        ClientCredentialsOAuthFlow: MessageTypeDefinition<_lf_a2a_v1_ClientCredentialsOAuthFlow, _lf_a2a_v1_ClientCredentialsOAuthFlow__Output>
        DeleteTaskPushNotificationConfigRequest: MessageTypeDefinition<_lf_a2a_v1_DeleteTaskPushNotificationConfigRequest, _lf_a2a_v1_DeleteTaskPushNotificationConfigRequest__Output>
        DeviceCodeOAuthFlow: MessageTypeDefinition<_lf_a2a_v1_DeviceCodeOAuthFlow, _lf_a2a_v1_DeviceCodeOAuthFlow__Output>
        GetExtendedAgentCardRequest: MessageTypeDefinition<_lf_a2a_v1_GetExtendedAgentCardRequest, _lf_a2a_v1_GetExtendedAgentCardRequest__Output>
        GetTaskPushNotificationConfigRequest: MessageTypeDefinition<_lf_a2a_v1_GetTaskPushNotificationConfigRequest, _lf_a2a_v1_GetTaskPushNotificationConfigRequest__Output>
        GetTaskRequest: MessageTypeDefinition<_lf_a2a_v1_GetTaskRequest, _lf_a2a_v1_GetTaskRequest__Output>
        HTTPAuthSecurityScheme: MessageTypeDefinition<_lf_a2a_v1_HTTPAuthSecurityScheme, _lf_a2a_v1_HTTPAuthSecurityScheme__Output>
        ImplicitOAuthFlow: MessageTypeDefinition<_lf_a2a_v1_ImplicitOAuthFlow, _lf_a2a_v1_ImplicitOAuthFlow__Output>
        ListTaskPushNotificationConfigsRequest: MessageTypeDefinition<_lf_a2a_v1_ListTaskPushNotificationConfigsRequest, _lf_a2a_v1_ListTaskPushNotificationConfigsRequest__Output>
        ListTaskPushNotificationConfigsResponse: MessageTypeDefinition<_lf_a2a_v1_ListTaskPushNotificationConfigsResponse, _lf_a2a_v1_ListTaskPushNotificationConfigsResponse__Output>
        ListTasksRequest: MessageTypeDefinition<_lf_a2a_v1_ListTasksRequest, _lf_a2a_v1_ListTasksRequest__Output>
        ListTasksResponse: MessageTypeDefinition<_lf_a2a_v1_ListTasksResponse, _lf_a2a_v1_ListTasksResponse__Output>
        Message: MessageTypeDefinition<_lf_a2a_v1_Message, _lf_a2a_v1_Message__Output>
        MutualTlsSecurityScheme: MessageTypeDefinition<_lf_a2a_v1_MutualTlsSecurityScheme, _lf_a2a_v1_MutualTlsSecurityScheme__Output>
        OAuth2SecurityScheme: MessageTypeDefinition<_lf_a2a_v1_OAuth2SecurityScheme, _lf_a2a_v1_OAuth2SecurityScheme__Output>
        OAuthFlows: MessageTypeDefinition<_lf_a2a_v1_OAuthFlows, _lf_a2a_v1_OAuthFlows__Output>
        OpenIdConnectSecurityScheme: MessageTypeDefinition<_lf_a2a_v1_OpenIdConnectSecurityScheme, _lf_a2a_v1_OpenIdConnectSecurityScheme__Output>
        Part: MessageTypeDefinition<_lf_a2a_v1_Part, _lf_a2a_v1_Part__Output>
        PasswordOAuthFlow: MessageTypeDefinition<_lf_a2a_v1_PasswordOAuthFlow, _lf_a2a_v1_PasswordOAuthFlow__Output>
        Role: EnumTypeDefinition
        SecurityRequirement: MessageTypeDefinition<_lf_a2a_v1_SecurityRequirement, _lf_a2a_v1_SecurityRequirement__Output>
        SecurityScheme: MessageTypeDefinition<_lf_a2a_v1_SecurityScheme, _lf_a2a_v1_SecurityScheme__Output>
        SendMessageConfiguration: MessageTypeDefinition<_lf_a2a_v1_SendMessageConfiguration, _lf_a2a_v1_SendMessageConfiguration__Output>
        SendMessageRequest: MessageTypeDefinition<_lf_a2a_v1_SendMessageRequest, _lf_a2a_v1_SendMessageRequest__Output>
        SendMessageResponse: MessageTypeDefinition<_lf_a2a_v1_SendMessageResponse, _lf_a2a_v1_SendMessageResponse__Output>
        StreamResponse: MessageTypeDefinition<_lf_a2a_v1_StreamResponse, _lf_a2a_v1_StreamResponse__Output>
        StringList: MessageTypeDefinition<_lf_a2a_v1_StringList, _lf_a2a_v1_StringList__Output>
        SubscribeToTaskRequest: MessageTypeDefinition<_lf_a2a_v1_SubscribeToTaskRequest, _lf_a2a_v1_SubscribeToTaskRequest__Output>
        Task: MessageTypeDefinition<_lf_a2a_v1_Task, _lf_a2a_v1_Task__Output>
        TaskArtifactUpdateEvent: MessageTypeDefinition<_lf_a2a_v1_TaskArtifactUpdateEvent, _lf_a2a_v1_TaskArtifactUpdateEvent__Output>
        TaskPushNotificationConfig: MessageTypeDefinition<_lf_a2a_v1_TaskPushNotificationConfig, _lf_a2a_v1_TaskPushNotificationConfig__Output>
        TaskState: EnumTypeDefinition
        TaskStatus: MessageTypeDefinition<_lf_a2a_v1_TaskStatus, _lf_a2a_v1_TaskStatus__Output>
        TaskStatusUpdateEvent: MessageTypeDefinition<_lf_a2a_v1_TaskStatusUpdateEvent, _lf_a2a_v1_TaskStatusUpdateEvent__Output>
      }
    }
  }
}

