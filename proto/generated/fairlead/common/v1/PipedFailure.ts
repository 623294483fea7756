// Original file: fairlead/common/v1/piped_failure.proto


export interface PipedFailure {
  'reason'?: (string);
  'message'?: (string);
  'details'?: ({[key: string]: string});
}

export interface PipedFailure__Output {
  'reason': (string);
  'message': (string);
  'details': ({[key: string]: string});
}
