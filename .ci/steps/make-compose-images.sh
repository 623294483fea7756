#!/usr/bin/env bash
# Makes the images of the compose file. Its test is skipped if one of them cannot be made.
command -v podman-compose >/dev/null || exit 0
TOOL=podman npm run image -- localhost/fairlead:compose && deploy/image/make-debian-backends || true
