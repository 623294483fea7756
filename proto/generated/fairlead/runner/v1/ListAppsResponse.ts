// Original file: fairlead/runner/v1/runner_service.proto


export interface ListAppsResponse {
  'appNames'?: (string)[];
}

export interface ListAppsResponse__Output {
  'appNames': (string)[];
}
