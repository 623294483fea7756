import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { CredentialOwner as _fairlead_credential_v1_CredentialOwner, CredentialOwner__Output as _fairlead_credential_v1_CredentialOwner__Output } from './fairlead/credential/v1/CredentialOwner.ts';
import type { CredentialServiceClient as _fairlead_credential_v1_CredentialServiceClient, CredentialServiceDefinition as _fairlead_credential_v1_CredentialServiceDefinition } from './fairlead/credential/v1/CredentialService.ts';
import type { CredentialSummary as _fairlead_credential_v1_CredentialSummary, CredentialSummary__Output as _fairlead_credential_v1_CredentialSummary__Output } from './fairlead/credential/v1/CredentialSummary.ts';
import type { DeleteCredentialRequest as _fairlead_credential_v1_DeleteCredentialRequest, DeleteCredentialRequest__Output as _fairlead_credential_v1_DeleteCredentialRequest__Output } from './fairlead/credential/v1/DeleteCredentialRequest.ts';
import type { DeleteCredentialResponse as _fairlead_credential_v1_DeleteCredentialResponse, DeleteCredentialResponse__Output as _fairlead_credential_v1_DeleteCredentialResponse__Output } from './fairlead/credential/v1/DeleteCredentialResponse.ts';
import type { DeleteDataRequest as _fairlead_credential_v1_DeleteDataRequest, DeleteDataRequest__Output as _fairlead_credential_v1_DeleteDataRequest__Output } from './fairlead/credential/v1/DeleteDataRequest.ts';
import type { DeleteDataResponse as _fairlead_credential_v1_DeleteDataResponse, DeleteDataResponse__Output as _fairlead_credential_v1_DeleteDataResponse__Output } from './fairlead/credential/v1/DeleteDataResponse.ts';
import type { ListCredentialsRequest as _fairlead_credential_v1_ListCredentialsRequest, ListCredentialsRequest__Output as _fairlead_credential_v1_ListCredentialsRequest__Output } from './fairlead/credential/v1/ListCredentialsRequest.ts';
import type { ListCredentialsResponse as _fairlead_credential_v1_ListCredentialsResponse, ListCredentialsResponse__Output as _fairlead_credential_v1_ListCredentialsResponse__Output } from './fairlead/credential/v1/ListCredentialsResponse.ts';
import type { LoadCredentialRequest as _fairlead_credential_v1_LoadCredentialRequest, LoadCredentialRequest__Output as _fairlead_credential_v1_LoadCredentialRequest__Output } from './fairlead/credential/v1/LoadCredentialRequest.ts';
import type { LoadCredentialResponse as _fairlead_credential_v1_LoadCredentialResponse, LoadCredentialResponse__Output as _fairlead_credential_v1_LoadCredentialResponse__Output } from './fairlead/credential/v1/LoadCredentialResponse.ts';
import type { SaveCredentialRequest as _fairlead_credential_v1_SaveCredentialRequest, SaveCredentialRequest__Output as _fairlead_credential_v1_SaveCredentialRequest__Output } from './fairlead/credential/v1/SaveCredentialRequest.ts';
import type { SaveCredentialResponse as _fairlead_credential_v1_SaveCredentialResponse, SaveCredentialResponse__Output as _fairlead_credential_v1_SaveCredentialResponse__Output } from './fairlead/credential/v1/SaveCredentialResponse.ts';
import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from './google/protobuf/Timestamp.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  fairlead: {
    credential: {
      v1: {
        CredentialOwner: MessageTypeDefinition<_fairlead_credential_v1_CredentialOwner, _fairlead_credential_v1_CredentialOwner__Output>
        CredentialService: SubtypeConstructor<typeof grpc.Client, _fairlead_credential_v1_CredentialServiceClient> & { service: _fairlead_credential_v1_CredentialServiceDefinition }
        CredentialSummary: MessageTypeDefinition<_fairlead_credential_v1_CredentialSummary, _fairlead_credential_v1_CredentialSummary__Output>
        DeleteCredentialRequest: MessageTypeDefinition<_fairlead_credential_v1_DeleteCredentialRequest, _fairlead_credential_v1_DeleteCredentialRequest__Output>
        DeleteCredentialResponse: MessageTypeDefinition<_fairlead_credential_v1_DeleteCredentialResponse, _fairlead_credential_v1_DeleteCredentialResponse__Output>
        DeleteDataRequest: MessageTypeDefinition<_fairlead_credential_v1_DeleteDataRequest, _fairlead_credential_v1_DeleteDataRequest__Output>
        DeleteDataResponse: MessageTypeDefinition<_fairlead_credential_v1_DeleteDataResponse, _fairlead_credential_v1_DeleteDataResponse__Output>
        ListCredentialsRequest: MessageTypeDefinition<_fairlead_credential_v1_ListCredentialsRequest, _fairlead_credential_v1_ListCredentialsRequest__Output>
        ListCredentialsResponse: MessageTypeDefinition<_fairlead_credential_v1_ListCredentialsResponse, _fairlead_credential_v1_ListCredentialsResponse__Output>
        LoadCredentialRequest: MessageTypeDefinition<_fairlead_credential_v1_LoadCredentialRequest, _fairlead_credential_v1_LoadCredentialRequest__Output>
        LoadCredentialResponse: MessageTypeDefinition<_fairlead_credential_v1_LoadCredentialResponse, _fairlead_credential_v1_LoadCredentialResponse__Output>
        SaveCredentialRequest: MessageTypeDefinition<_fairlead_credential_v1_SaveCredentialRequest, _fairlead_credential_v1_SaveCredentialRequest__Output>
        SaveCredentialResponse: MessageTypeDefinition<_fairlead_credential_v1_SaveCredentialResponse, _fairlead_credential_v1_SaveCredentialResponse__Output>
      }
    }
  }
  google: {
    protobuf: {
      Timestamp: MessageTypeDefinition<_google_protobuf_Timestamp, _google_protobuf_Timestamp__Output>
    }
  }
}

