// Original file: fairlead/eval/v1/eval_service.proto


export interface ListEvaluationDataResponse {
  'itemsJson'?: (Buffer | Uint8Array | string)[];
  'nextPageToken'?: (string);
  '_nextPageToken'?: "nextPageToken";
}

export interface ListEvaluationDataResponse__Output {
  'itemsJson': (Buffer)[];
  'nextPageToken'?: (string);
  '_nextPageToken'?: "nextPageToken";
}
