// Original file: lf/a2a/v1/a2a.proto

import type { StringList as _lf_a2a_v1_StringList, StringList__Output as _lf_a2a_v1_StringList__Output } from '../../../lf/a2a/v1/StringList.ts';

export interface SecurityRequirement {
  'schemes'?: ({[key: string]: _lf_a2a_v1_StringList});
}

export interface SecurityRequirement__Output {
  'schemes': ({[key: string]: _lf_a2a_v1_StringList__Output});
}
