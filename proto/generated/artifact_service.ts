import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { ArtifactHeader as _agentplane_artifact_v1_ArtifactHeader, ArtifactHeader__Output as _agentplane_artifact_v1_ArtifactHeader__Output } from './agentplane/artifact/v1/ArtifactHeader.ts';
import type { ArtifactKey as _agentplane_artifact_v1_ArtifactKey, ArtifactKey__Output as _agentplane_artifact_v1_ArtifactKey__Output } from './agentplane/artifact/v1/ArtifactKey.ts';
import type { ArtifactServiceClient as _agentplane_artifact_v1_ArtifactServiceClient, ArtifactServiceDefinition as _agentplane_artifact_v1_ArtifactServiceDefinition } from './agentplane/artifact/v1/ArtifactService.ts';
import type { ArtifactVersion as _agentplane_artifact_v1_ArtifactVersion, ArtifactVersion__Output as _agentplane_artifact_v1_ArtifactVersion__Output } from './agentplane/artifact/v1/ArtifactVersion.ts';
import type { DeleteArtifactRequest as _agentplane_artifact_v1_DeleteArtifactRequest, DeleteArtifactRequest__Output as _agentplane_artifact_v1_DeleteArtifactRequest__Output } from './agentplane/artifact/v1/DeleteArtifactRequest.ts';
import type { DeleteArtifactResponse as _agentplane_artifact_v1_DeleteArtifactResponse, DeleteArtifactResponse__Output as _agentplane_artifact_v1_DeleteArtifactResponse__Output } from './agentplane/artifact/v1/DeleteArtifactResponse.ts';
import type { DeleteSessionArtifactsRequest as _agentplane_artifact_v1_DeleteSessionArtifactsRequest, DeleteSessionArtifactsRequest__Output as _agentplane_artifact_v1_DeleteSessionArtifactsRequest__Output } from './agentplane/artifact/v1/DeleteSessionArtifactsRequest.ts';
import type { DeleteSessionArtifactsResponse as _agentplane_artifact_v1_DeleteSessionArtifactsResponse, DeleteSessionArtifactsResponse__Output as _agentplane_artifact_v1_DeleteSessionArtifactsResponse__Output } from './agentplane/artifact/v1/DeleteSessionArtifactsResponse.ts';
import type { GetArtifactVersionRequest as _agentplane_artifact_v1_GetArtifactVersionRequest, GetArtifactVersionRequest__Output as _agentplane_artifact_v1_GetArtifactVersionRequest__Output } from './agentplane/artifact/v1/GetArtifactVersionRequest.ts';
import type { GetArtifactVersionResponse as _agentplane_artifact_v1_GetArtifactVersionResponse, GetArtifactVersionResponse__Output as _agentplane_artifact_v1_GetArtifactVersionResponse__Output } from './agentplane/artifact/v1/GetArtifactVersionResponse.ts';
import type { ListArtifactKeysRequest as _agentplane_artifact_v1_ListArtifactKeysRequest, ListArtifactKeysRequest__Output as _agentplane_artifact_v1_ListArtifactKeysRequest__Output } from './agentplane/artifact/v1/ListArtifactKeysRequest.ts';
import type { ListArtifactKeysResponse as _agentplane_artifact_v1_ListArtifactKeysResponse, ListArtifactKeysResponse__Output as _agentplane_artifact_v1_ListArtifactKeysResponse__Output } from './agentplane/artifact/v1/ListArtifactKeysResponse.ts';
import type { ListArtifactVersionsRequest as _agentplane_artifact_v1_ListArtifactVersionsRequest, ListArtifactVersionsRequest__Output as _agentplane_artifact_v1_ListArtifactVersionsRequest__Output } from './agentplane/artifact/v1/ListArtifactVersionsRequest.ts';
import type { ListArtifactVersionsResponse as _agentplane_artifact_v1_ListArtifactVersionsResponse, ListArtifactVersionsResponse__Output as _agentplane_artifact_v1_ListArtifactVersionsResponse__Output } from './agentplane/artifact/v1/ListArtifactVersionsResponse.ts';
import type { ListVersionsRequest as _agentplane_artifact_v1_ListVersionsRequest, ListVersionsRequest__Output as _agentplane_artifact_v1_ListVersionsRequest__Output } from './agentplane/artifact/v1/ListVersionsRequest.ts';
import type { ListVersionsResponse as _agentplane_artifact_v1_ListVersionsResponse, ListVersionsResponse__Output as _agentplane_artifact_v1_ListVersionsResponse__Output } from './agentplane/artifact/v1/ListVersionsResponse.ts';
import type { LoadArtifactRequest as _agentplane_artifact_v1_LoadArtifactRequest, LoadArtifactRequest__Output as _agentplane_artifact_v1_LoadArtifactRequest__Output } from './agentplane/artifact/v1/LoadArtifactRequest.ts';
import type { LoadArtifactResponse as _agentplane_artifact_v1_LoadArtifactResponse, LoadArtifactResponse__Output as _agentplane_artifact_v1_LoadArtifactResponse__Output } from './agentplane/artifact/v1/LoadArtifactResponse.ts';
import type { SaveArtifactHeader as _agentplane_artifact_v1_SaveArtifactHeader, SaveArtifactHeader__Output as _agentplane_artifact_v1_SaveArtifactHeader__Output } from './agentplane/artifact/v1/SaveArtifactHeader.ts';
import type { SaveArtifactRequest as _agentplane_artifact_v1_SaveArtifactRequest, SaveArtifactRequest__Output as _agentplane_artifact_v1_SaveArtifactRequest__Output } from './agentplane/artifact/v1/SaveArtifactRequest.ts';
import type { SaveArtifactResponse as _agentplane_artifact_v1_SaveArtifactResponse, SaveArtifactResponse__Output as _agentplane_artifact_v1_SaveArtifactResponse__Output } from './agentplane/artifact/v1/SaveArtifactResponse.ts';
import type { SessionKey as _agentplane_common_v1_SessionKey, SessionKey__Output as _agentplane_common_v1_SessionKey__Output } from './agentplane/common/v1/SessionKey.ts';
import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from './google/protobuf/Timestamp.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  agentplane: {
    artifact: {
      v1: {
        ArtifactHeader: MessageTypeDefinition<_agentplane_artifact_v1_ArtifactHeader, _agentplane_artifact_v1_ArtifactHeader__Output>
        ArtifactKey: MessageTypeDefinition<_agentplane_artifact_v1_ArtifactKey, _agentplane_artifact_v1_ArtifactKey__Output>
        ArtifactService: SubtypeConstructor<typeof grpc.Client, _agentplane_artifact_v1_ArtifactServiceClient> & { service: _agentplane_artifact_v1_ArtifactServiceDefinition }
        ArtifactVersion: MessageTypeDefinition<_agentplane_artifact_v1_ArtifactVersion, _agentplane_artifact_v1_ArtifactVersion__Output>
        DeleteArtifactRequest: MessageTypeDefinition<_agentplane_artifact_v1_DeleteArtifactRequest, _agentplane_artifact_v1_DeleteArtifactRequest__Output>
        DeleteArtifactResponse: MessageTypeDefinition<_agentplane_artifact_v1_DeleteArtifactResponse, _agentplane_artifact_v1_DeleteArtifactResponse__Output>
        DeleteSessionArtifactsRequest: MessageTypeDefinition<_agentplane_artifact_v1_DeleteSessionArtifactsRequest, _agentplane_artifact_v1_DeleteSessionArtifactsRequest__Output>
        DeleteSessionArtifactsResponse: MessageTypeDefinition<_agentplane_artifact_v1_DeleteSessionArtifactsResponse, _agentplane_artifact_v1_DeleteSessionArtifactsResponse__Output>
        GetArtifactVersionRequest: MessageTypeDefinition<_agentplane_artifact_v1_GetArtifactVersionRequest, _agentplane_artifact_v1_GetArtifactVersionRequest__Output>
        GetArtifactVersionResponse: MessageTypeDefinition<_agentplane_artifact_v1_GetArtifactVersionResponse, _agentplane_artifact_v1_GetArtifactVersionResponse__Output>
        ListArtifactKeysRequest: MessageTypeDefinition<_agentplane_artifact_v1_ListArtifactKeysRequest, _agentplane_artifact_v1_ListArtifactKeysRequest__Output>
        ListArtifactKeysResponse: MessageTypeDefinition<_agentplane_artifact_v1_ListArtifactKeysResponse, _agentplane_artifact_v1_ListArtifactKeysResponse__Output>
        ListArtifactVersionsRequest: MessageTypeDefinition<_agentplane_artifact_v1_ListArtifactVersionsRequest, _agentplane_artifact_v1_ListArtifactVersionsRequest__Output>
        ListArtifactVersionsResponse: MessageTypeDefinition<_agentplane_artifact_v1_ListArtifactVersionsResponse, _agentplane_artifact_v1_ListArtifactVersionsResponse__Output>
        ListVersionsRequest: MessageTypeDefinition<_agentplane_artifact_v1_ListVersionsRequest, _agentplane_artifact_v1_ListVersionsRequest__Output>
        ListVersionsResponse: MessageTypeDefinition<_agentplane_artifact_v1_ListVersionsResponse, _agentplane_artifact_v1_ListVersionsResponse__Output>
        LoadArtifactRequest: MessageTypeDefinition<_agentplane_artifact_v1_LoadArtifactRequest, _agentplane_artifact_v1_LoadArtifactRequest__Output>
        LoadArtifactResponse: MessageTypeDefinition<_agentplane_artifact_v1_LoadArtifactResponse, _agentplane_artifact_v1_LoadArtifactResponse__Output>
        SaveArtifactHeader: MessageTypeDefinition<_agentplane_artifact_v1_SaveArtifactHeader, _agentplane_artifact_v1_SaveArtifactHeader__Output>
        SaveArtifactRequest: MessageTypeDefinition<_agentplane_artifact_v1_SaveArtifactRequest, _agentplane_artifact_v1_SaveArtifactRequest__Output>
        SaveArtifactResponse: MessageTypeDefinition<_agentplane_artifact_v1_SaveArtifactResponse, _agentplane_artifact_v1_SaveArtifactResponse__Output>
      }
    }
    common: {
      v1: {
        SessionKey: MessageTypeDefinition<_agentplane_common_v1_SessionKey, _agentplane_common_v1_SessionKey__Output>
      }
    }
  }
  google: {
    protobuf: {
      Timestamp: MessageTypeDefinition<_google_protobuf_Timestamp, _google_protobuf_Timestamp__Output>
    }
  }
}

