// Original file: fairlead/artifact/v1/artifact_service.proto


export interface DeleteArtifactResponse {
}

export interface DeleteArtifactResponse__Output {
}
