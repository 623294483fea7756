// Original file: lf/a2a/v1/a2a.proto

import type { TaskPushNotificationConfig as _lf_a2a_v1_TaskPushNotificationConfig, TaskPushNotificationConfig__Output as _lf_a2a_v1_TaskPushNotificationConfig__Output } from '../../../lf/a2a/v1/TaskPushNotificationConfig.ts';

export interface SendMessageConfiguration {
  'acceptedOutputModes'?: (string)[];
  'taskPushNotificationConfig'?: (_lf_a2a_v1_TaskPushNotificationConfig | null);
  'historyLength'?: (number);
  'returnImmediately'?: (boolean);
  '_historyLength'?: "historyLength";
}

export interface SendMessageConfiguration__Output {
  'acceptedOutputModes': (string)[];
  'taskPushNotificationConfig': (_lf_a2a_v1_TaskPushNotificationConfig__Output | null);
  'historyLength'?: (number);
  'returnImmediately': (boolean);
  '_historyLength'?: "historyLength";
}
