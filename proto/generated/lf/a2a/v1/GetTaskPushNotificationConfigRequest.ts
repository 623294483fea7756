// Original file: lf/a2a/v1/a2a.proto


export interface GetTaskPushNotificationConfigRequest {
  'tenant'?: (string);
  'taskId'?: (string);
  'id'?: (string);
}

export interface GetTaskPushNotificationConfigRequest__Output {
  'tenant': (string);
  'taskId': (string);
  'id': (string);
}
