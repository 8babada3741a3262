#!/bin/sh
# rootfs.sh OUT ROOT: lays the file system of the image at ROOT, from OUT (sallyport, lib/libonnxruntime.so.1, and
# ca-certificates.crt for OTLP over TLS) and from the system it runs on (the loader and the libraries that the two need).
set -eu
out=$1 root=$2

install -D -m 0755 "$out/sallyport" "$root/usr/local/bin/sallyport"
install -D -m 0644 "$out/lib/libonnxruntime.so.1" "$root/usr/local/bin/lib/libonnxruntime.so.1"

# ldd prints "name => path (address)" and, for the loader, "path (address)".
needed=$(ldd "$out/sallyport" "$out/lib/libonnxruntime.so.1")
case $needed in *"not found"*) echo "rootfs: a library is missing: $needed" >&2; exit 1 ;; esac
for path in $(printf '%s\n' "$needed" | sed -n 's/^.*[[:space:]]\(\/[^ ]*\) (.*$/\1/p' | sort -u); do
  install -D -m 0755 "$path" "$root$path"
done

install -D -m 0644 "$out/ca-certificates.crt" "$root/etc/ssl/certs/ca-certificates.crt"
mkdir -p "$root/etc"
printf 'sallyport:x:65532:65532::/:/sbin/nologin\n' > "$root/etc/passwd"
printf 'sallyport:x:65532:\n' > "$root/etc/group"
