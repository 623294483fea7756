#!/usr/bin/env bash
# Makes the images of the compose file. Its test is skipped if one of them cannot be made, but an image that is too large
# is an error.
command -v podman-compose >/dev/null || exit 0
TOO_LARGE=3
TOOL=podman npm run image -- localhost/fairlead:compose
case $? in
  0) deploy/image/make-debian-backends || true ;;
  "$TOO_LARGE") exit 1 ;;
esac
