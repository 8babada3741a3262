#!/bin/sh
# Fetches the packages of a list with pip and unpacks them: fetch.sh LIST FOLDER
# A line is `name==version`, followed by the word `source` when the source archive is wanted, or by
# `wheel` and a Python tag when a wheel for another Python than this one is.
set -eu
list=$1
folder=$2
mkdir -p "$folder/archives"
sed 's/#.*//' "$list" | while read -r package kind tag; do
	[ -n "$package" ] || continue
	target="$folder/$(echo "$package" | tr '=' '_')"
	[ -d "$target" ] && continue
	echo "fetch $package" >&2
	rm -rf "$folder/archives/now" && mkdir -p "$folder/archives/now"
	if [ "$kind" = source ]; then
		pip download --quiet --no-deps --no-binary :all: --dest "$folder/archives/now" "$package"
	elif [ "$kind" = wheel ]; then
		pip download --quiet --no-deps --only-binary :all: --python-version "${tag#cp}" --platform manylinux2014_x86_64 --dest "$folder/archives/now" "$package"
	else
		pip download --quiet --no-deps --dest "$folder/archives/now" "$package"
	fi
	mkdir -p "$target.part"
	for archive in "$folder"/archives/now/*; do
		case $archive in
		*.whl | *.zip) python3 -m zipfile -e "$archive" "$target.part" ;;
		*) tar -xzf "$archive" -C "$target.part" ;;
		esac
	done
	mv "$target.part" "$target"
done
