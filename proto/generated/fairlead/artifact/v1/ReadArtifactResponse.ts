// Original file: fairlead/artifact/v1/artifact_service.proto


export interface ReadArtifactResponse {
  'content'?: (Buffer | Uint8Array | string);
  '_content'?: "content";
}

export interface ReadArtifactResponse__Output {
  'content'?: (Buffer);
  '_content'?: "content";
}
