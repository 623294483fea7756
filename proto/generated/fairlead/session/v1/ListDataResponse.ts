// Original file: fairlead/session/v1/session_service.proto


export interface ListDataResponse {
  'itemsJson'?: (Buffer | Uint8Array | string)[];
  'nextPageToken'?: (string);
  '_nextPageToken'?: "nextPageToken";
}

export interface ListDataResponse__Output {
  'itemsJson': (Buffer)[];
  'nextPageToken'?: (string);
  '_nextPageToken'?: "nextPageToken";
}
