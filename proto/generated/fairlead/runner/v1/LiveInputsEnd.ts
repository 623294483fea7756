// Original file: fairlead/runner/v1/runner_service.proto


export interface LiveInputsEnd {
}

export interface LiveInputsEnd__Output {
}
