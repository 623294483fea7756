// Original file: lf/a2a/v1/a2a.proto

import type { TaskPushNotificationConfig as _lf_a2a_v1_TaskPushNotificationConfig, TaskPushNotificationConfig__Output as _lf_a2a_v1_TaskPushNotificationConfig__Output } from '../../../lf/a2a/v1/TaskPushNotificationConfig.ts';

export interface ListTaskPushNotificationConfigsResponse {
  'configs'?: (_lf_a2a_v1_TaskPushNotificationConfig)[];
  'nextPageToken'?: (string);
}

export interface ListTaskPushNotificationConfigsResponse__Output {
  'configs': (_lf_a2a_v1_TaskPushNotificationConfig__Output)[];
  'nextPageToken': (string);
}
