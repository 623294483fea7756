#!/usr/bin/env bash
# Succeeds if all programs are installed that tests use.
python3 -c 'import ensurepip' 2>/dev/null || exit 1
compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null || exit 1
for tool in redis-server pgbouncer docker-registry chromium go podman runsc; do command -v "$tool" >/dev/null || exit 1; done
