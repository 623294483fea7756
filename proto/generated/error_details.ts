import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { ErrorInfo as _google_rpc_ErrorInfo, ErrorInfo__Output as _google_rpc_ErrorInfo__Output } from './google/rpc/ErrorInfo.ts';

export interface ProtoGrpcType {
  google: {
    rpc: {
      ErrorInfo: MessageTypeDefinition<_google_rpc_ErrorInfo, _google_rpc_ErrorInfo__Output>
    }
  }
}

