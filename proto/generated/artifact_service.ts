import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { ArtifactHeader as _fairlead_artifact_v1_ArtifactHeader, ArtifactHeader__Output as _fairlead_artifact_v1_ArtifactHeader__Output } from './fairlead/artifact/v1/ArtifactHeader.ts';
import type { ArtifactKey as _fairlead_artifact_v1_ArtifactKey, ArtifactKey__Output as _fairlead_artifact_v1_ArtifactKey__Output } from './fairlead/artifact/v1/ArtifactKey.ts';
import type { ArtifactServiceClient as _fairlead_artifact_v1_ArtifactServiceClient, ArtifactServiceDefinition as _fairlead_artifact_v1_ArtifactServiceDefinition } from './fairlead/artifact/v1/ArtifactService.ts';
import type { ArtifactVersion as _fairlead_artifact_v1_ArtifactVersion, ArtifactVersion__Output as _fairlead_artifact_v1_ArtifactVersion__Output } from './fairlead/artifact/v1/ArtifactVersion.ts';
import type { DeleteArtifactRequest as _fairlead_artifact_v1_DeleteArtifactRequest, DeleteArtifactRequest__Output as _fairlead_artifact_v1_DeleteArtifactRequest__Output } from './fairlead/artifact/v1/DeleteArtifactRequest.ts';
import type { DeleteArtifactResponse as _fairlead_artifact_v1_DeleteArtifactResponse, DeleteArtifactResponse__Output as _fairlead_artifact_v1_DeleteArtifactResponse__Output } from './fairlead/artifact/v1/DeleteArtifactResponse.ts';
import type { DeleteDataRequest as _fairlead_artifact_v1_DeleteDataRequest, DeleteDataRequest__Output as _fairlead_artifact_v1_DeleteDataRequest__Output } from './fairlead/artifact/v1/DeleteDataRequest.ts';
import type { DeleteDataResponse as _fairlead_artifact_v1_DeleteDataResponse, DeleteDataResponse__Output as _fairlead_artifact_v1_DeleteDataResponse__Output } from './fairlead/artifact/v1/DeleteDataResponse.ts';
import type { DeleteOldDataRequest as _fairlead_artifact_v1_DeleteOldDataRequest, DeleteOldDataRequest__Output as _fairlead_artifact_v1_DeleteOldDataRequest__Output } from './fairlead/artifact/v1/DeleteOldDataRequest.ts';
import type { DeleteOldDataResponse as _fairlead_artifact_v1_DeleteOldDataResponse, DeleteOldDataResponse__Output as _fairlead_artifact_v1_DeleteOldDataResponse__Output } from './fairlead/artifact/v1/DeleteOldDataResponse.ts';
import type { DeleteSessionArtifactsRequest as _fairlead_artifact_v1_DeleteSessionArtifactsRequest, DeleteSessionArtifactsRequest__Output as _fairlead_artifact_v1_DeleteSessionArtifactsRequest__Output } from './fairlead/artifact/v1/DeleteSessionArtifactsRequest.ts';
import type { DeleteSessionArtifactsResponse as _fairlead_artifact_v1_DeleteSessionArtifactsResponse, DeleteSessionArtifactsResponse__Output as _fairlead_artifact_v1_DeleteSessionArtifactsResponse__Output } from './fairlead/artifact/v1/DeleteSessionArtifactsResponse.ts';
import type { DescribeArtifactRequest as _fairlead_artifact_v1_DescribeArtifactRequest, DescribeArtifactRequest__Output as _fairlead_artifact_v1_DescribeArtifactRequest__Output } from './fairlead/artifact/v1/DescribeArtifactRequest.ts';
import type { DescribeArtifactResponse as _fairlead_artifact_v1_DescribeArtifactResponse, DescribeArtifactResponse__Output as _fairlead_artifact_v1_DescribeArtifactResponse__Output } from './fairlead/artifact/v1/DescribeArtifactResponse.ts';
import type { GetArtifactVersionRequest as _fairlead_artifact_v1_GetArtifactVersionRequest, GetArtifactVersionRequest__Output as _fairlead_artifact_v1_GetArtifactVersionRequest__Output } from './fairlead/artifact/v1/GetArtifactVersionRequest.ts';
import type { GetArtifactVersionResponse as _fairlead_artifact_v1_GetArtifactVersionResponse, GetArtifactVersionResponse__Output as _fairlead_artifact_v1_GetArtifactVersionResponse__Output } from './fairlead/artifact/v1/GetArtifactVersionResponse.ts';
import type { ListArtifactKeysRequest as _fairlead_artifact_v1_ListArtifactKeysRequest, ListArtifactKeysRequest__Output as _fairlead_artifact_v1_ListArtifactKeysRequest__Output } from './fairlead/artifact/v1/ListArtifactKeysRequest.ts';
import type { ListArtifactKeysResponse as _fairlead_artifact_v1_ListArtifactKeysResponse, ListArtifactKeysResponse__Output as _fairlead_artifact_v1_ListArtifactKeysResponse__Output } from './fairlead/artifact/v1/ListArtifactKeysResponse.ts';
import type { ListArtifactVersionsRequest as _fairlead_artifact_v1_ListArtifactVersionsRequest, ListArtifactVersionsRequest__Output as _fairlead_artifact_v1_ListArtifactVersionsRequest__Output } from './fairlead/artifact/v1/ListArtifactVersionsRequest.ts';
import type { ListArtifactVersionsResponse as _fairlead_artifact_v1_ListArtifactVersionsResponse, ListArtifactVersionsResponse__Output as _fairlead_artifact_v1_ListArtifactVersionsResponse__Output } from './fairlead/artifact/v1/ListArtifactVersionsResponse.ts';
import type { ListDataRequest as _fairlead_artifact_v1_ListDataRequest, ListDataRequest__Output as _fairlead_artifact_v1_ListDataRequest__Output } from './fairlead/artifact/v1/ListDataRequest.ts';
import type { ListDataResponse as _fairlead_artifact_v1_ListDataResponse, ListDataResponse__Output as _fairlead_artifact_v1_ListDataResponse__Output } from './fairlead/artifact/v1/ListDataResponse.ts';
import type { ListOldDataRequest as _fairlead_artifact_v1_ListOldDataRequest, ListOldDataRequest__Output as _fairlead_artifact_v1_ListOldDataRequest__Output } from './fairlead/artifact/v1/ListOldDataRequest.ts';
import type { ListOldDataResponse as _fairlead_artifact_v1_ListOldDataResponse, ListOldDataResponse__Output as _fairlead_artifact_v1_ListOldDataResponse__Output } from './fairlead/artifact/v1/ListOldDataResponse.ts';
import type { ListVersionsRequest as _fairlead_artifact_v1_ListVersionsRequest, ListVersionsRequest__Output as _fairlead_artifact_v1_ListVersionsRequest__Output } from './fairlead/artifact/v1/ListVersionsRequest.ts';
import type { ListVersionsResponse as _fairlead_artifact_v1_ListVersionsResponse, ListVersionsResponse__Output as _fairlead_artifact_v1_ListVersionsResponse__Output } from './fairlead/artifact/v1/ListVersionsResponse.ts';
import type { LoadArtifactRequest as _fairlead_artifact_v1_LoadArtifactRequest, LoadArtifactRequest__Output as _fairlead_artifact_v1_LoadArtifactRequest__Output } from './fairlead/artifact/v1/LoadArtifactRequest.ts';
import type { LoadArtifactResponse as _fairlead_artifact_v1_LoadArtifactResponse, LoadArtifactResponse__Output as _fairlead_artifact_v1_LoadArtifactResponse__Output } from './fairlead/artifact/v1/LoadArtifactResponse.ts';
import type { OldItem as _fairlead_artifact_v1_OldItem, OldItem__Output as _fairlead_artifact_v1_OldItem__Output } from './fairlead/artifact/v1/OldItem.ts';
import type { OldVersion as _fairlead_artifact_v1_OldVersion, OldVersion__Output as _fairlead_artifact_v1_OldVersion__Output } from './fairlead/artifact/v1/OldVersion.ts';
import type { ReadArtifactRequest as _fairlead_artifact_v1_ReadArtifactRequest, ReadArtifactRequest__Output as _fairlead_artifact_v1_ReadArtifactRequest__Output } from './fairlead/artifact/v1/ReadArtifactRequest.ts';
import type { ReadArtifactResponse as _fairlead_artifact_v1_ReadArtifactResponse, ReadArtifactResponse__Output as _fairlead_artifact_v1_ReadArtifactResponse__Output } from './fairlead/artifact/v1/ReadArtifactResponse.ts';
import type { ReadStoredRequest as _fairlead_artifact_v1_ReadStoredRequest, ReadStoredRequest__Output as _fairlead_artifact_v1_ReadStoredRequest__Output } from './fairlead/artifact/v1/ReadStoredRequest.ts';
import type { ReadStoredResponse as _fairlead_artifact_v1_ReadStoredResponse, ReadStoredResponse__Output as _fairlead_artifact_v1_ReadStoredResponse__Output } from './fairlead/artifact/v1/ReadStoredResponse.ts';
import type { SaveArtifactHeader as _fairlead_artifact_v1_SaveArtifactHeader, SaveArtifactHeader__Output as _fairlead_artifact_v1_SaveArtifactHeader__Output } from './fairlead/artifact/v1/SaveArtifactHeader.ts';
import type { SaveArtifactRequest as _fairlead_artifact_v1_SaveArtifactRequest, SaveArtifactRequest__Output as _fairlead_artifact_v1_SaveArtifactRequest__Output } from './fairlead/artifact/v1/SaveArtifactRequest.ts';
import type { SaveArtifactResponse as _fairlead_artifact_v1_SaveArtifactResponse, SaveArtifactResponse__Output as _fairlead_artifact_v1_SaveArtifactResponse__Output } from './fairlead/artifact/v1/SaveArtifactResponse.ts';
import type { MeteredAmounts as _fairlead_common_v1_MeteredAmounts, MeteredAmounts__Output as _fairlead_common_v1_MeteredAmounts__Output } from './fairlead/common/v1/MeteredAmounts.ts';
import type { SessionKey as _fairlead_common_v1_SessionKey, SessionKey__Output as _fairlead_common_v1_SessionKey__Output } from './fairlead/common/v1/SessionKey.ts';
import type { StoredName as _fairlead_common_v1_StoredName, StoredName__Output as _fairlead_common_v1_StoredName__Output } from './fairlead/common/v1/StoredName.ts';
import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from './google/protobuf/Timestamp.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  fairlead: {
    artifact: {
      v1: {
        ArtifactHeader: MessageTypeDefinition<_fairlead_artifact_v1_ArtifactHeader, _fairlead_artifact_v1_ArtifactHeader__Output>
        ArtifactKey: MessageTypeDefinition<_fairlead_artifact_v1_ArtifactKey, _fairlead_artifact_v1_ArtifactKey__Output>
        ArtifactService: SubtypeConstructor<typeof grpc.Client, _fairlead_artifact_v1_ArtifactServiceClient> & { service: _fairlead_artifact_v1_ArtifactServiceDefinition }
        ArtifactVersion: MessageTypeDefinition<_fairlead_artifact_v1_ArtifactVersion, _fairlead_artifact_v1_ArtifactVersion__Output>
        DeleteArtifactRequest: MessageTypeDefinition<_fairlead_artifact_v1_DeleteArtifactRequest, _fairlead_artifact_v1_DeleteArtifactRequest__Output>
        DeleteArtifactResponse: MessageTypeDefinition<_fairlead_artifact_v1_DeleteArtifactResponse, _fairlead_artifact_v1_DeleteArtifactResponse__Output>
        DeleteDataRequest: MessageTypeDefinition<_fairlead_artifact_v1_DeleteDataRequest, _fairlead_artifact_v1_DeleteDataRequest__Output>
        DeleteDataResponse: MessageTypeDefinition<_fairlead_artifact_v1_DeleteDataResponse, _fairlead_artifact_v1_DeleteDataResponse__Output>
        DeleteOldDataRequest: MessageTypeDefinition<_fairlead_artifact_v1_DeleteOldDataRequest, _fairlead_artifact_v1_DeleteOldDataRequest__Output>
        DeleteOldDataResponse: MessageTypeDefinition<_fairlead_artifact_v1_DeleteOldDataResponse, _fairlead_artifact_v1_DeleteOldDataResponse__Output>
        DeleteSessionArtifactsRequest: MessageTypeDefinition<_fairlead_artifact_v1_DeleteSessionArtifactsRequest, _fairlead_artifact_v1_DeleteSessionArtifactsRequest__Output>
        DeleteSessionArtifactsResponse: MessageTypeDefinition<_fairlead_artifact_v1_DeleteSessionArtifactsResponse, _fairlead_artifact_v1_DeleteSessionArtifactsResponse__Output>
        DescribeArtifactRequest: MessageTypeDefinition<_fairlead_artifact_v1_DescribeArtifactRequest, _fairlead_artifact_v1_DescribeArtifactRequest__Output>
        DescribeArtifactResponse: MessageTypeDefinition<_fairlead_artifact_v1_DescribeArtifactResponse, _fairlead_artifact_v1_DescribeArtifactResponse__Output>
        GetArtifactVersionRequest: MessageTypeDefinition<_fairlead_artifact_v1_GetArtifactVersionRequest, _fairlead_artifact_v1_GetArtifactVersionRequest__Output>
        GetArtifactVersionResponse: MessageTypeDefinition<_fairlead_artifact_v1_GetArtifactVersionResponse, _fairlead_artifact_v1_GetArtifactVersionResponse__Output>
        ListArtifactKeysRequest: MessageTypeDefinition<_fairlead_artifact_v1_ListArtifactKeysRequest, _fairlead_artifact_v1_ListArtifactKeysRequest__Output>
        ListArtifactKeysResponse: MessageTypeDefinition<_fairlead_artifact_v1_ListArtifactKeysResponse, _fairlead_artifact_v1_ListArtifactKeysResponse__Output>
        ListArtifactVersionsRequest: MessageTypeDefinition<_fairlead_artifact_v1_ListArtifactVersionsRequest, _fairlead_artifact_v1_ListArtifactVersionsRequest__Output>
        ListArtifactVersionsResponse: MessageTypeDefinition<_fairlead_artifact_v1_ListArtifactVersionsResponse, _fairlead_artifact_v1_ListArtifactVersionsResponse__Output>
        ListDataRequest: MessageTypeDefinition<_fairlead_artifact_v1_ListDataRequest, _fairlead_artifact_v1_ListDataRequest__Output>
        ListDataResponse: MessageTypeDefinition<_fairlead_artifact_v1_ListDataResponse, _fairlead_artifact_v1_ListDataResponse__Output>
        ListOldDataRequest: MessageTypeDefinition<_fairlead_artifact_v1_ListOldDataRequest, _fairlead_artifact_v1_ListOldDataRequest__Output>
        ListOldDataResponse: MessageTypeDefinition<_fairlead_artifact_v1_ListOldDataResponse, _fairlead_artifact_v1_ListOldDataResponse__Output>
        ListVersionsRequest: MessageTypeDefinition<_fairlead_artifact_v1_ListVersionsRequest, _fairlead_artifact_v1_ListVersionsRequest__Output>
        ListVersionsResponse: MessageTypeDefinition<_fairlead_artifact_v1_ListVersionsResponse, _fairlead_artifact_v1_ListVersionsResponse__Output>
        LoadArtifactRequest: MessageTypeDefinition<_fairlead_artifact_v1_LoadArtifactRequest, _fairlead_artifact_v1_LoadArtifactRequest__Output>
        LoadArtifactResponse: MessageTypeDefinition<_fairlead_artifact_v1_LoadArtifactResponse, _fairlead_artifact_v1_LoadArtifactResponse__Output>
        OldItem: MessageTypeDefinition<_fairlead_artifact_v1_OldItem, _fairlead_artifact_v1_OldItem__Output>
        OldVersion: MessageTypeDefinition<_fairlead_artifact_v1_OldVersion, _fairlead_artifact_v1_OldVersion__Output>
        ReadArtifactRequest: MessageTypeDefinition<_fairlead_artifact_v1_ReadArtifactRequest, _fairlead_artifact_v1_ReadArtifactRequest__Output>
        ReadArtifactResponse: MessageTypeDefinition<_fairlead_artifact_v1_ReadArtifactResponse, _fairlead_artifact_v1_ReadArtifactResponse__Output>
        ReadStoredRequest: MessageTypeDefinition<_fairlead_artifact_v1_ReadStoredRequest, _fairlead_artifact_v1_ReadStoredRequest__Output>
        ReadStoredResponse: MessageTypeDefinition<_fairlead_artifact_v1_ReadStoredResponse, _fairlead_artifact_v1_ReadStoredResponse__Output>
        SaveArtifactHeader: MessageTypeDefinition<_fairlead_artifact_v1_SaveArtifactHeader, _fairlead_artifact_v1_SaveArtifactHeader__Output>
        SaveArtifactRequest: MessageTypeDefinition<_fairlead_artifact_v1_SaveArtifactRequest, _fairlead_artifact_v1_SaveArtifactRequest__Output>
        SaveArtifactResponse: MessageTypeDefinition<_fairlead_artifact_v1_SaveArtifactResponse, _fairlead_artifact_v1_SaveArtifactResponse__Output>
      }
    }
    common: {
      v1: {
        MeteredAmounts: MessageTypeDefinition<_fairlead_common_v1_MeteredAmounts, _fairlead_common_v1_MeteredAmounts__Output>
        SessionKey: MessageTypeDefinition<_fairlead_common_v1_SessionKey, _fairlead_common_v1_SessionKey__Output>
        StoredName: MessageTypeDefinition<_fairlead_common_v1_StoredName, _fairlead_common_v1_StoredName__Output>
      }
    }
  }
  google: {
    protobuf: {
      Timestamp: MessageTypeDefinition<_google_protobuf_Timestamp, _google_protobuf_Timestamp__Output>
    }
  }
}

