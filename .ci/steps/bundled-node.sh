#!/usr/bin/env bash
# Checks that npm scripts run on the Node of the lock file, not on the one that runs npm.
exec npm exec --call 'node -e "process.exit(process.features.typescript ? 0 : 1)"'
