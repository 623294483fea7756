// Original file: fairlead/eval/v1/eval_service.proto


export interface SaveEvalSetResultRequest {
  'appName'?: (string);
  'jsonChunk'?: (Buffer | Uint8Array | string);
  'tenantId'?: (string);
}

export interface SaveEvalSetResultRequest__Output {
  'appName': (string);
  'jsonChunk': (Buffer);
  'tenantId': (string);
}
