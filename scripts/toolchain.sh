#!/usr/bin/env bash
# Prints the go command to use. From Go 1.21 on, the command itself fetches the
# pinned toolchain (GOTOOLCHAIN); an older one cannot, so the same toolchain
# module is downloaded with it and used directly.
set -euo pipefail
want=${1:?usage: toolchain.sh go1.27.3}

command -v go >/dev/null || { echo "toolchain: no go command found (Debian: apt-get install golang-go); any version will do" >&2; exit 1; }
minor=$(GOTOOLCHAIN=local go env GOVERSION 2>/dev/null | sed -n 's/^go1\.\([0-9]*\).*/\1/p')
if [ "${minor:-0}" -ge 21 ]; then
  echo go
  exit 0
fi
os=$(go env GOOS) arch=$(go env GOARCH)
module="golang.org/toolchain@v0.0.1-$want.$os-$arch"
# Outside any module: an old go refuses to read our go.mod.
dir=$(cd / && GOFLAGS=-mod=mod go mod download -json "$module" | sed -n 's/^.*"Dir": "\(.*\)",\{0,1\}$/\1/p')
[ -n "$dir" ] || { echo "toolchain: could not download $module" >&2; exit 1; }
if [ ! -x "$dir/bin/go" ]; then
  # Old versions extract modules without execute bits, read-only.
  chmod -R u+w "$dir"
  chmod +x "$dir"/bin/* "$dir"/pkg/tool/"${os}_$arch"/*
fi
echo "$dir/bin/go"
