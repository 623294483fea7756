// Original file: fairlead/artifact/v1/artifact_service.proto


export interface DeleteSessionArtifactsResponse {
}

export interface DeleteSessionArtifactsResponse__Output {
}
