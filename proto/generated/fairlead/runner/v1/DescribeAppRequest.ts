// Original file: fairlead/runner/v1/runner_service.proto


export interface DescribeAppRequest {
  'appName'?: (string);
}

export interface DescribeAppRequest__Output {
  'appName': (string);
}
