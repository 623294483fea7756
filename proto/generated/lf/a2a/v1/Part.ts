// Original file: lf/a2a/v1/a2a.proto

import type { Value as _google_protobuf_Value, Value__Output as _google_protobuf_Value__Output } from '../../../google/protobuf/Value.ts';
import type { Struct as _google_protobuf_Struct, Struct__Output as _google_protobuf_Struct__Output } from '../../../google/protobuf/Struct.ts';

export interface Part {
  'text'?: (string);
  'raw'?: (Buffer | Uint8Array | string);
  'url'?: (string);
  'data'?: (_google_protobuf_Value | null);
  'metadata'?: (_google_protobuf_Struct | null);
  'filename'?: (string);
  'mediaType'?: (string);
  'content'?: "text"|"raw"|"url"|"data";
}

export interface Part__Output {
  'text'?: (string);
  'raw'?: (Buffer);
  'url'?: (string);
  'data'?: (_google_protobuf_Value__Output | null);
  'metadata': (_google_protobuf_Struct__Output | null);
  'filename': (string);
  'mediaType': (string);
  'content'?: "text"|"raw"|"url"|"data";
}
