// Original file: fairlead/credential/v1/credential_service.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { DeleteCredentialRequest as _fairlead_credential_v1_DeleteCredentialRequest, DeleteCredentialRequest__Output as _fairlead_credential_v1_DeleteCredentialRequest__Output } from '../../../fairlead/credential/v1/DeleteCredentialRequest.ts';
import type { DeleteCredentialResponse as _fairlead_credential_v1_DeleteCredentialResponse, DeleteCredentialResponse__Output as _fairlead_credential_v1_DeleteCredentialResponse__Output } from '../../../fairlead/credential/v1/DeleteCredentialResponse.ts';
import type { DeleteDataRequest as _fairlead_credential_v1_DeleteDataRequest, DeleteDataRequest__Output as _fairlead_credential_v1_DeleteDataRequest__Output } from '../../../fairlead/credential/v1/DeleteDataRequest.ts';
import type { DeleteDataResponse as _fairlead_credential_v1_DeleteDataResponse, DeleteDataResponse__Output as _fairlead_credential_v1_DeleteDataResponse__Output } from '../../../fairlead/credential/v1/DeleteDataResponse.ts';
import type { ListCredentialsRequest as _fairlead_credential_v1_ListCredentialsRequest, ListCredentialsRequest__Output as _fairlead_credential_v1_ListCredentialsRequest__Output } from '../../../fairlead/credential/v1/ListCredentialsRequest.ts';
import type { ListCredentialsResponse as _fairlead_credential_v1_ListCredentialsResponse, ListCredentialsResponse__Output as _fairlead_credential_v1_ListCredentialsResponse__Output } from '../../../fairlead/credential/v1/ListCredentialsResponse.ts';
import type { LoadCredentialRequest as _fairlead_credential_v1_LoadCredentialRequest, LoadCredentialRequest__Output as _fairlead_credential_v1_LoadCredentialRequest__Output } from '../../../fairlead/credential/v1/LoadCredentialRequest.ts';
import type { LoadCredentialResponse as _fairlead_credential_v1_LoadCredentialResponse, LoadCredentialResponse__Output as _fairlead_credential_v1_LoadCredentialResponse__Output } from '../../../fairlead/credential/v1/LoadCredentialResponse.ts';
import type { SaveCredentialRequest as _fairlead_credential_v1_SaveCredentialRequest, SaveCredentialRequest__Output as _fairlead_credential_v1_SaveCredentialRequest__Output } from '../../../fairlead/credential/v1/SaveCredentialRequest.ts';
import type { SaveCredentialResponse as _fairlead_credential_v1_SaveCredentialResponse, SaveCredentialResponse__Output as _fairlead_credential_v1_SaveCredentialResponse__Output } from '../../../fairlead/credential/v1/SaveCredentialResponse.ts';

export interface CredentialServiceClient extends grpc.Client {
  DeleteCredential(argument: _fairlead_credential_v1_DeleteCredentialRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_credential_v1_DeleteCredentialResponse__Output>): grpc.ClientUnaryCall;
  DeleteCredential(argument: _fairlead_credential_v1_DeleteCredentialRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_credential_v1_DeleteCredentialResponse__Output>): grpc.ClientUnaryCall;
  DeleteCredential(argument: _fairlead_credential_v1_DeleteCredentialRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_credential_v1_DeleteCredentialResponse__Output>): grpc.ClientUnaryCall;
  DeleteCredential(argument: _fairlead_credential_v1_DeleteCredentialRequest, callback: grpc.requestCallback<_fairlead_credential_v1_DeleteCredentialResponse__Output>): grpc.ClientUnaryCall;
  deleteCredential(argument: _fairlead_credential_v1_DeleteCredentialRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_credential_v1_DeleteCredentialResponse__Output>): grpc.ClientUnaryCall;
  deleteCredential(argument: _fairlead_credential_v1_DeleteCredentialRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_credential_v1_DeleteCredentialResponse__Output>): grpc.ClientUnaryCall;
  deleteCredential(argument: _fairlead_credential_v1_DeleteCredentialRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_credential_v1_DeleteCredentialResponse__Output>): grpc.ClientUnaryCall;
  deleteCredential(argument: _fairlead_credential_v1_DeleteCredentialRequest, callback: grpc.requestCallback<_fairlead_credential_v1_DeleteCredentialResponse__Output>): grpc.ClientUnaryCall;
  
  DeleteData(argument: _fairlead_credential_v1_DeleteDataRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_credential_v1_DeleteDataResponse__Output>): grpc.ClientUnaryCall;
  DeleteData(argument: _fairlead_credential_v1_DeleteDataRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_credential_v1_DeleteDataResponse__Output>): grpc.ClientUnaryCall;
  DeleteData(argument: _fairlead_credential_v1_DeleteDataRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_credential_v1_DeleteDataResponse__Output>): grpc.ClientUnaryCall;
  DeleteData(argument: _fairlead_credential_v1_DeleteDataRequest, callback: grpc.requestCallback<_fairlead_credential_v1_DeleteDataResponse__Output>): grpc.ClientUnaryCall;
  deleteData(argument: _fairlead_credential_v1_DeleteDataRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_credential_v1_DeleteDataResponse__Output>): grpc.ClientUnaryCall;
  deleteData(argument: _fairlead_credential_v1_DeleteDataRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_credential_v1_DeleteDataResponse__Output>): grpc.ClientUnaryCall;
  deleteData(argument: _fairlead_credential_v1_DeleteDataRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_credential_v1_DeleteDataResponse__Output>): grpc.ClientUnaryCall;
  deleteData(argument: _fairlead_credential_v1_DeleteDataRequest, callback: grpc.requestCallback<_fairlead_credential_v1_DeleteDataResponse__Output>): grpc.ClientUnaryCall;
  
  ListCredentials(argument: _fairlead_credential_v1_ListCredentialsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_credential_v1_ListCredentialsResponse__Output>): grpc.ClientUnaryCall;
  ListCredentials(argument: _fairlead_credential_v1_ListCredentialsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_credential_v1_ListCredentialsResponse__Output>): grpc.ClientUnaryCall;
  ListCredentials(argument: _fairlead_credential_v1_ListCredentialsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_credential_v1_ListCredentialsResponse__Output>): grpc.ClientUnaryCall;
  ListCredentials(argument: _fairlead_credential_v1_ListCredentialsRequest, callback: grpc.requestCallback<_fairlead_credential_v1_ListCredentialsResponse__Output>): grpc.ClientUnaryCall;
  listCredentials(argument: _fairlead_credential_v1_ListCredentialsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_credential_v1_ListCredentialsResponse__Output>): grpc.ClientUnaryCall;
  listCredentials(argument: _fairlead_credential_v1_ListCredentialsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_credential_v1_ListCredentialsResponse__Output>): grpc.ClientUnaryCall;
  listCredentials(argument: _fairlead_credential_v1_ListCredentialsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_credential_v1_ListCredentialsResponse__Output>): grpc.ClientUnaryCall;
  listCredentials(argument: _fairlead_credential_v1_ListCredentialsRequest, callback: grpc.requestCallback<_fairlead_credential_v1_ListCredentialsResponse__Output>): grpc.ClientUnaryCall;
  
  LoadCredential(argument: _fairlead_credential_v1_LoadCredentialRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_credential_v1_LoadCredentialResponse__Output>): grpc.ClientUnaryCall;
  LoadCredential(argument: _fairlead_credential_v1_LoadCredentialRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_credential_v1_LoadCredentialResponse__Output>): grpc.ClientUnaryCall;
  LoadCredential(argument: _fairlead_credential_v1_LoadCredentialRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_credential_v1_LoadCredentialResponse__Output>): grpc.ClientUnaryCall;
  LoadCredential(argument: _fairlead_credential_v1_LoadCredentialRequest, callback: grpc.requestCallback<_fairlead_credential_v1_LoadCredentialResponse__Output>): grpc.ClientUnaryCall;
  loadCredential(argument: _fairlead_credential_v1_LoadCredentialRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_credential_v1_LoadCredentialResponse__Output>): grpc.ClientUnaryCall;
  loadCredential(argument: _fairlead_credential_v1_LoadCredentialRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_credential_v1_LoadCredentialResponse__Output>): grpc.ClientUnaryCall;
  loadCredential(argument: _fairlead_credential_v1_LoadCredentialRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_credential_v1_LoadCredentialResponse__Output>): grpc.ClientUnaryCall;
  loadCredential(argument: _fairlead_credential_v1_LoadCredentialRequest, callback: grpc.requestCallback<_fairlead_credential_v1_LoadCredentialResponse__Output>): grpc.ClientUnaryCall;
  
  SaveCredential(argument: _fairlead_credential_v1_SaveCredentialRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_credential_v1_SaveCredentialResponse__Output>): grpc.ClientUnaryCall;
  SaveCredential(argument: _fairlead_credential_v1_SaveCredentialRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_credential_v1_SaveCredentialResponse__Output>): grpc.ClientUnaryCall;
  SaveCredential(argument: _fairlead_credential_v1_SaveCredentialRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_credential_v1_SaveCredentialResponse__Output>): grpc.ClientUnaryCall;
  SaveCredential(argument: _fairlead_credential_v1_SaveCredentialRequest, callback: grpc.requestCallback<_fairlead_credential_v1_SaveCredentialResponse__Output>): grpc.ClientUnaryCall;
  saveCredential(argument: _fairlead_credential_v1_SaveCredentialRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_credential_v1_SaveCredentialResponse__Output>): grpc.ClientUnaryCall;
  saveCredential(argument: _fairlead_credential_v1_SaveCredentialRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_fairlead_credential_v1_SaveCredentialResponse__Output>): grpc.ClientUnaryCall;
  saveCredential(argument: _fairlead_credential_v1_SaveCredentialRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_fairlead_credential_v1_SaveCredentialResponse__Output>): grpc.ClientUnaryCall;
  saveCredential(argument: _fairlead_credential_v1_SaveCredentialRequest, callback: grpc.requestCallback<_fairlead_credential_v1_SaveCredentialResponse__Output>): grpc.ClientUnaryCall;
  
}

export interface CredentialServiceHandlers extends grpc.UntypedServiceImplementation {
  DeleteCredential: grpc.handleUnaryCall<_fairlead_credential_v1_DeleteCredentialRequest__Output, _fairlead_credential_v1_DeleteCredentialResponse>;
  
  DeleteData: grpc.handleUnaryCall<_fairlead_credential_v1_DeleteDataRequest__Output, _fairlead_credential_v1_DeleteDataResponse>;
  
  ListCredentials: grpc.handleUnaryCall<_fairlead_credential_v1_ListCredentialsRequest__Output, _fairlead_credential_v1_ListCredentialsResponse>;
  
  LoadCredential: grpc.handleUnaryCall<_fairlead_credential_v1_LoadCredentialRequest__Output, _fairlead_credential_v1_LoadCredentialResponse>;
  
  SaveCredential: grpc.handleUnaryCall<_fairlead_credential_v1_SaveCredentialRequest__Output, _fairlead_credential_v1_SaveCredentialResponse>;
  
}

export interface CredentialServiceDefinition extends grpc.ServiceDefinition {
  DeleteCredential: MethodDefinition<_fairlead_credential_v1_DeleteCredentialRequest, _fairlead_credential_v1_DeleteCredentialResponse, _fairlead_credential_v1_DeleteCredentialRequest__Output, _fairlead_credential_v1_DeleteCredentialResponse__Output>
  DeleteData: MethodDefinition<_fairlead_credential_v1_DeleteDataRequest, _fairlead_credential_v1_DeleteDataResponse, _fairlead_credential_v1_DeleteDataRequest__Output, _fairlead_credential_v1_DeleteDataResponse__Output>
  ListCredentials: MethodDefinition<_fairlead_credential_v1_ListCredentialsRequest, _fairlead_credential_v1_ListCredentialsResponse, _fairlead_credential_v1_ListCredentialsRequest__Output, _fairlead_credential_v1_ListCredentialsResponse__Output>
  LoadCredential: MethodDefinition<_fairlead_credential_v1_LoadCredentialRequest, _fairlead_credential_v1_LoadCredentialResponse, _fairlead_credential_v1_LoadCredentialRequest__Output, _fairlead_credential_v1_LoadCredentialResponse__Output>
  SaveCredential: MethodDefinition<_fairlead_credential_v1_SaveCredentialRequest, _fairlead_credential_v1_SaveCredentialResponse, _fairlead_credential_v1_SaveCredentialRequest__Output, _fairlead_credential_v1_SaveCredentialResponse__Output>
}
