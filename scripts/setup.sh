#!/usr/bin/env bash
# Fetches what is not Go: the ONNX Runtime shared library, from the npm package
# that carries it for every platform, by name and pinned checksum.
# Result: $1/libonnxruntime.so.1 (default bin/lib). Does nothing when it is there.
set -euo pipefail

version=1.24.3
tarball_sha256=aa1bb5fa261ea68de05dd53efbba210cd7adf2d2850f4c3a201054c74cc78040
dest=${1:-bin/lib}

if [ -n "${ONNXRUNTIME_LIB:-}" ]; then
  [ -f "$ONNXRUNTIME_LIB" ] || { echo "setup: ONNXRUNTIME_LIB=$ONNXRUNTIME_LIB does not exist" >&2; exit 1; }
  mkdir -p "$dest"
  cp -L "$ONNXRUNTIME_LIB" "$dest/libonnxruntime.so.1"
  echo "setup: ONNX Runtime taken from ONNXRUNTIME_LIB"
  exit 0
fi

case "$(uname -s)/$(uname -m)" in
  Linux/x86_64)          arch=x64 ;;
  Linux/aarch64|Linux/arm64) arch=arm64 ;;
  *) echo "setup: no ONNX Runtime for $(uname -s)/$(uname -m) in the npm package; set ONNXRUNTIME_LIB to a libonnxruntime >= 1.24" >&2; exit 1 ;;
esac

stamp="$dest/.onnxruntime-$version-$arch"
if [ -f "$stamp" ] && (cd "$dest" && sha256sum --quiet -c "$(basename "$stamp")" >/dev/null 2>&1); then
  exit 0
fi
command -v npm >/dev/null || { echo "setup: npm is needed to fetch ONNX Runtime (Debian: apt-get install npm), or set ONNXRUNTIME_LIB" >&2; exit 1; }

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
echo "setup: fetching onnxruntime-node@$version (86 MB, once)"
# npm pack runs no install scripts and pulls no dependencies.
(cd "$tmp" && npm pack --silent "onnxruntime-node@$version" >/dev/null)
echo "$tarball_sha256  $tmp/onnxruntime-node-$version.tgz" | sha256sum --quiet -c - || {
  echo "setup: onnxruntime-node-$version.tgz does not have the pinned checksum; nothing was installed" >&2; exit 1; }
member="package/bin/napi-v6/linux/$arch/libonnxruntime.so.1"
tar -xzf "$tmp/onnxruntime-node-$version.tgz" -C "$tmp" "$member"
mkdir -p "$dest"
rm -f "$dest"/.onnxruntime-*
mv "$tmp/$member" "$dest/libonnxruntime.so.1"
(cd "$dest" && sha256sum libonnxruntime.so.1 > "$(basename "$stamp")")
echo "setup: $dest/libonnxruntime.so.1"
