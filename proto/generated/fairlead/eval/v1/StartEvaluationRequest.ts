// Original file: fairlead/eval/v1/eval_service.proto


export interface StartEvaluationRequest {
  'tenantId'?: (string);
  'appName'?: (string);
  'userId'?: (string);
  'jsonChunk'?: (Buffer | Uint8Array | string);
  '_userId'?: "userId";
}

export interface StartEvaluationRequest__Output {
  'tenantId': (string);
  'appName': (string);
  'userId'?: (string);
  'jsonChunk': (Buffer);
  '_userId'?: "userId";
}
