// Original file: fairlead/eval/v1/eval_service.proto


export interface CreateEvalSetRequest {
  'appName'?: (string);
  'jsonChunk'?: (Buffer | Uint8Array | string);
  'tenantId'?: (string);
}

export interface CreateEvalSetRequest__Output {
  'appName': (string);
  'jsonChunk': (Buffer);
  'tenantId': (string);
}
