#!/bin/sh
# Regenerates the stubs of ext_mcp.proto with pinned plug-ins.
#
#   ./generate.sh          rewrite the stubs in place
#   ./generate.sh --check  exit 1 when the committed stubs are not what the
#                          pinned plug-ins write
#
# protoc comes from PATH (its version is not part of the contract: it is cut out
# of the comparison); the plug-ins are built at the versions below.
set -eu

PROTOC_GEN_GO=v1.36.12
PROTOC_GEN_GO_GRPC=v1.6.2

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

command -v protoc >/dev/null || { echo "generate: protoc is not on PATH" >&2; exit 1; }

# have NAME VERSION: the plug-in in GOPATH/bin already has the pinned version.
have() {
  tool=$(go env GOPATH)/bin/$1
  [ -x "$tool" ] && go version -m "$tool" 2>/dev/null | awk '$1 == "mod" {print $3}' | grep -qx "$2"
}
plugin() {
  if have "$1" "$3"; then
    cp "$(go env GOPATH)/bin/$1" "$work/$1"
  else
    GOBIN=$work go install "$2@$3"
  fi
}
plugin protoc-gen-go google.golang.org/protobuf/cmd/protoc-gen-go "$PROTOC_GEN_GO"
plugin protoc-gen-go-grpc google.golang.org/grpc/cmd/protoc-gen-go-grpc "$PROTOC_GEN_GO_GRPC"

mkdir "$work/out"
protoc -I "$here" \
  --plugin="$work/protoc-gen-go" --plugin="$work/protoc-gen-go-grpc" \
  --go_out="$work/out" --go_opt=paths=source_relative \
  --go-grpc_out="$work/out" --go-grpc_opt=paths=source_relative \
  ext_mcp.proto

# The header names the protoc that ran; two machines may differ in it.
for f in ext_mcp.pb.go ext_mcp_grpc.pb.go; do
  sed -e '/^\/\/ *\(- *\)\{0,1\}protoc  *(unknown)$/d' -e '/^\/\/[[:space:]]*\(-[[:space:]]*\)\{0,1\}protoc[[:space:]][[:space:]]*v/d' "$work/out/$f" >"$work/$f"
done

if [ "${1:-}" = --check ]; then
  for f in ext_mcp.pb.go ext_mcp_grpc.pb.go; do
    cmp -s "$work/$f" "$here/$f" || { echo "generate: $f is stale; run go generate ./grpcapi/extmcp" >&2; exit 1; }
  done
  exit 0
fi
cp "$work/ext_mcp.pb.go" "$work/ext_mcp_grpc.pb.go" "$here/"
