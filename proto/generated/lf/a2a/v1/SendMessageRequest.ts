// Original file: lf/a2a/v1/a2a.proto

import type { Message as _lf_a2a_v1_Message, Message__Output as _lf_a2a_v1_Message__Output } from '../../../lf/a2a/v1/Message.ts';
import type { SendMessageConfiguration as _lf_a2a_v1_SendMessageConfiguration, SendMessageConfiguration__Output as _lf_a2a_v1_SendMessageConfiguration__Output } from '../../../lf/a2a/v1/SendMessageConfiguration.ts';
import type { Struct as _google_protobuf_Struct, Struct__Output as _google_protobuf_Struct__Output } from '../../../google/protobuf/Struct.ts';

export interface SendMessageRequest {
  'tenant'?: (string);
  'message'?: (_lf_a2a_v1_Message | null);
  'configuration'?: (_lf_a2a_v1_SendMessageConfiguration | null);
  'metadata'?: (_google_protobuf_Struct | null);
}

export interface SendMessageRequest__Output {
  'tenant': (string);
  'message': (_lf_a2a_v1_Message__Output | null);
  'configuration': (_lf_a2a_v1_SendMessageConfiguration__Output | null);
  'metadata': (_google_protobuf_Struct__Output | null);
}
