#!/usr/bin/env bash
# Installs programs that tests use: a browser, Redis, Postgres, a registry, containers. If one cannot be installed, its tests are skipped.
set -uo pipefail
[[ $(id -u) == 0 ]] && command -v apt-get >/dev/null || exit 0

# Never fails: has-test-tools.sh decides whether a missing program is an error.
add_packages() {
  [[ $# != 0 ]] || return 0
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq && apt-get install -y -qq --no-install-recommends "$@" || true
}

missing=()
command -v chromium >/dev/null || missing+=(chromium)
command -v redis-server >/dev/null || missing+=(redis-server)
compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null || missing+=(postgresql)
command -v pgbouncer >/dev/null || missing+=(pgbouncer)
command -v docker-registry >/dev/null || missing+=(docker-registry)
# Tests install a server of S3 with pip, into an environment of its own.
python3 -c 'import ensurepip' 2>/dev/null || missing+=(python3-venv)
add_packages "${missing[@]}"

# A separate call, because some releases of Debian lack these packages. runc, because crun refuses machines that have
# both versions of control groups.
missing=()
command -v podman >/dev/null || missing+=(podman runc catatonit netavark aardvark-dns)
command -v runsc >/dev/null || missing+=(runsc)
command -v podman-compose >/dev/null || missing+=(podman-compose)
command -v debootstrap >/dev/null || missing+=(debootstrap)
add_packages "${missing[@]}"
