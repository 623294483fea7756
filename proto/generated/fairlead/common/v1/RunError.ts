// Original file: fairlead/common/v1/run.proto


export interface RunError {
  'code'?: (string);
  'reason'?: (string);
  'message'?: (string);
}

export interface RunError__Output {
  'code': (string);
  'reason': (string);
  'message': (string);
}
