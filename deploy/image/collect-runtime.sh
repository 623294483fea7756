#!/bin/sh
# collect-runtime.sh FOLDER: node, stripped if a tool for it exists, and the one library it needs that base images lack.
set -eu
target=$1
node=$(node -p process.execPath)
mkdir -p "$target/usr/local/bin"
cp "$node" "$target/usr/local/bin/node"
if command -v strip >/dev/null; then strip "$target/usr/local/bin/node"; fi
"$target/usr/local/bin/node" --version
library=$(ldd "$node" | sed -n 's/.*libatomic\.so\.1 => \([^ ]*\).*/\1/p')
if [ -n "$library" ]; then
  # Below /usr, whatever path the loader printed: in images /lib is a link, which a copied folder would replace.
  folder=$target/usr/lib/$(basename "$(dirname "$library")")
  mkdir -p "$folder"
  cp -L "$library" "$folder/"
fi
