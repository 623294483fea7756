// Original file: fairlead/runner/v1/runner_service.proto


export interface ListAppsRequest {
}

export interface ListAppsRequest__Output {
}
