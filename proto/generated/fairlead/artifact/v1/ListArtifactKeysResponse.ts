// Original file: fairlead/artifact/v1/artifact_service.proto


export interface ListArtifactKeysResponse {
  'filenames'?: (string)[];
}

export interface ListArtifactKeysResponse__Output {
  'filenames': (string)[];
}
