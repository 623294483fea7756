#!/usr/bin/env bash
exec npm exec --call 'vitest run --project=integration test/integration/platform/compose.test.ts'
