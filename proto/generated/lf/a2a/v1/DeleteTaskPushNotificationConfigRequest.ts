// Original file: lf/a2a/v1/a2a.proto


export interface DeleteTaskPushNotificationConfigRequest {
  'tenant'?: (string);
  'taskId'?: (string);
  'id'?: (string);
}

export interface DeleteTaskPushNotificationConfigRequest__Output {
  'tenant': (string);
  'taskId': (string);
  'id': (string);
}
