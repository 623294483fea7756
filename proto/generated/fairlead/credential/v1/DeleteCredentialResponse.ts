// Original file: fairlead/credential/v1/credential_service.proto


export interface DeleteCredentialResponse {
}

export interface DeleteCredentialResponse__Output {
}
