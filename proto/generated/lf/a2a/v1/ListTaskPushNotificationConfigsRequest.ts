// Original file: lf/a2a/v1/a2a.proto


export interface ListTaskPushNotificationConfigsRequest {
  'taskId'?: (string);
  'pageSize'?: (number);
  'pageToken'?: (string);
  'tenant'?: (string);
}

export interface ListTaskPushNotificationConfigsRequest__Output {
  'taskId': (string);
  'pageSize': (number);
  'pageToken': (string);
  'tenant': (string);
}
