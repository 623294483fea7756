// Original file: fairlead/session/v1/run_journal_service.proto


export interface SignGrantRequest {
}

export interface SignGrantRequest__Output {
}
