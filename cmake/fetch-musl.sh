#!/bin/sh
# Fetches Debian's musl-dev for every architecture that the agent is built for, and unpacks it beside the others:
#
#   cmake/fetch-musl.sh [DIR]       DIR/<amd64|arm64|armhf|armel>/usr/...
#
# DIR defaults to $MIKROSCOPE_MUSL_ROOT, else ~/.cache/mikroscope/musl, which is where CMake looks. Nothing on this
# system changes: dpkg keeps its architectures, apt its lists. apt verifies the downloads as it always does. Needs no
# root. What is already there is not fetched again.
set -eu

root=${1:-${MIKROSCOPE_MUSL_ROOT:-${XDG_CACHE_HOME:-$HOME/.cache}/mikroscope/musl}}
archs="amd64 arm64 armhf armel"

missing=""
for arch in $archs; do
  set -- "$root/$arch"/usr/lib/*-linux-musl*/libc.a
  [ -f "$1" ] || missing="$missing $arch"
done
if [ -z "$missing" ]; then
  echo "musl: all of $archs are in $root"
  exit 0
fi
for tool in apt-get dpkg; do
  command -v "$tool" > /dev/null || { echo "fetch-musl: $tool not found: this needs Debian 12" >&2; exit 1; }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/parts"
: > "$work/status"

# The mirror that this system uses for Debian's main archive; updates and security are not needed for musl.
mirror=$(apt-get indextargets --format '$(LABEL)|$(CODENAME)|$(REPO_URI)' 'Created-By: Packages' 2> /dev/null |
  sed -n 's/^Debian|bookworm|//p' | head -n 1)
[ -n "$mirror" ] || mirror=http://deb.debian.org/debian/
key=/usr/share/keyrings/debian-archive-keyring.gpg
signed=""
[ -f "$key" ] && signed="signed-by=$key "
echo "deb [${signed}arch=amd64,arm64,armhf,armel] $mirror bookworm main" > "$work/sources.list"

cat > "$work/apt.conf" << EOF
APT::Architecture "amd64";
APT::Architectures { "amd64"; "arm64"; "armhf"; "armel"; };
APT::Sandbox::User "";
Acquire::Retries "3";
Acquire::Languages "none";
Dir::Etc::sourcelist "$work/sources.list";
Dir::Etc::sourceparts "$work/parts";
Dir::State::lists "$work/lists";
Dir::State::status "$work/status";
Dir::Cache "$work/cache";
EOF
export APT_CONFIG="$work/apt.conf"

echo "musl: fetching musl-dev for$missing from $mirror"
if ! apt-get update -qq > "$work/log" 2>&1; then
  cat "$work/log" >&2
  echo "fetch-musl: $mirror cannot be read. Is there a network? Without musl, agents can be built with" >&2
  echo "  -DMIKROSCOPE_AGENT_LIBC=glibc (larger), or the CLI without them: -DMIKROSCOPE_EMBED_AGENTS=OFF" >&2
  exit 1
fi
for arch in $missing; do
  (cd "$work" && apt-get download -qq "musl-dev:$arch")
  rm -rf "$root/$arch.part"
  mkdir -p "$root/$arch.part"
  dpkg -x "$work"/musl-dev_*_"$arch".deb "$root/$arch.part"
  rm -rf "${root:?}/$arch"
  mv "$root/$arch.part" "$root/$arch"
  echo "musl: $arch ready"
done
