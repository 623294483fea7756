// Original file: lf/a2a/v1/a2a.proto

import type { AuthenticationInfo as _lf_a2a_v1_AuthenticationInfo, AuthenticationInfo__Output as _lf_a2a_v1_AuthenticationInfo__Output } from '../../../lf/a2a/v1/AuthenticationInfo.ts';

export interface TaskPushNotificationConfig {
  'tenant'?: (string);
  'id'?: (string);
  'taskId'?: (string);
  'url'?: (string);
  'token'?: (string);
  'authentication'?: (_lf_a2a_v1_AuthenticationInfo | null);
}

export interface TaskPushNotificationConfig__Output {
  'tenant': (string);
  'id': (string);
  'taskId': (string);
  'url': (string);
  'token': (string);
  'authentication': (_lf_a2a_v1_AuthenticationInfo__Output | null);
}
