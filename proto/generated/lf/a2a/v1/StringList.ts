// Original file: lf/a2a/v1/a2a.proto


export interface StringList {
  'list'?: (string)[];
}

export interface StringList__Output {
  'list': (string)[];
}
