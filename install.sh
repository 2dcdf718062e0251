#!/bin/bash
# Builds mikroscope from this checkout and installs it. See `./install.sh --help`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

readonly kHelp='Usage: ./install.sh [--prefix DIR] [--demo | --test]

  (nothing)      install what the build needs (apt), build, and install to DIR (default ~/.local)
  --demo         the same; then record this machine and draw it, and do the same through the double of a router:
                 doctor, install, record, plot, uninstall
  --test         install what the tests need too, build everything, run all tests
  --prefix DIR   where bin/mikroscope goes
  --help         this text

For Debian 12, as root or with sudo. Only missing packages are installed. MIKROSCOPE_JOBS=N limits the compilers at work.'

# Packages, by what they are for.
readonly kBuildPackages='ca-certificates cmake ninja-build ccache gcc g++ gcc-12 g++-12 binutils
  libcli11-dev nlohmann-json3-dev libfmt-dev libcurl4-openssl-dev libssl-dev libssh-dev pkgconf
  libzstd-dev zlib1g-dev libpq-dev libmicrohttpd-dev libprotozero-dev libsnappy-dev librdkafka-dev libmosquitto-dev'
# The router agents are cross-compiled; Debian has these compilers on amd64.
readonly kCrossPackages='g++-12-aarch64-linux-gnu g++-12-arm-linux-gnueabihf g++-12-arm-linux-gnueabi'
readonly kTestPackages='git procps iproute2 curl libgtest-dev libgmock-dev libbenchmark-dev libpugixml-dev
  clang-14 clang-format-14 clang-tidy-14 libclang-rt-14-dev qemu-user-static skopeo umoci runc librsvg2-bin
  tmux zsh fish man-db locales openssh-client openssh-server python3-librouteros nftables
  influxdb influxdb-client victoria-metrics prometheus postgresql-15 graphite-carbon nginx-light mosquitto mosquitto-clients kcat
  protobuf-compiler python3-protobuf'

say() { printf '\n== %s\n' "$*"; }
fail() {
  printf '\ninstall.sh: %s\n' "$1" >&2
  shift
  for line in "$@"; do printf '  %s\n' "$line" >&2; done
  exit 1
}

mode=install
prefix=${HOME:-/root}/.local
while [ $# -gt 0 ]; do
  case $1 in
    --demo | --test) mode=${1#--} ;;
    --prefix) [ $# -ge 2 ] || fail "--prefix wants a directory"; prefix=$2; shift ;;
    --prefix=*) prefix=${1#--prefix=} ;;
    -h | --help) echo "$kHelp"; exit 0 ;;
    *) echo "install.sh: unknown option $1" >&2; echo "$kHelp" >&2; exit 2 ;;
  esac
  shift
done
case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac

readonly jobs=${MIKROSCOPE_JOBS:-$(nproc)}
# Compilations of another checkout of the same sources count as the same (objects hold no absolute path).
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
export DEBIAN_FRONTEND=noninteractive

# Prints those of the packages that are not installed.
missing_packages() {
  local package status
  for package in "$@"; do
    status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2> /dev/null || true)
    [ "$status" = installed ] || echo "$package"
  done
}

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif [ -t 0 ]; then
    sudo "$@"
  else
    sudo -n "$@"  # nobody could type a password
  fi
}

install_packages() {
  command -v apt-get > /dev/null && command -v dpkg-query > /dev/null ||
    fail "this is no Debian system (apt-get not found)" "on another system install the libraries that CMakeLists.txt" \
      "names, then: cmake --preset release && cmake --build --preset release"
  local missing
  mapfile -t missing < <(missing_packages "$@")
  if [ ${#missing[@]} -eq 0 ]; then
    echo "packages: all $# are installed"
    return
  fi
  say "installing ${#missing[@]} Debian packages: ${missing[*]}"
  if [ "$(id -u)" != 0 ] && ! command -v sudo > /dev/null; then
    fail "packages are missing, and this is neither root nor is there sudo; as root:" "apt-get install ${missing[*]}"
  fi
  mkdir -p build
  as_root apt-get -o Acquire::Retries=3 update > build/apt.log 2>&1 || true  # one bad list need not matter; the install tells
  if ! as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends -o Acquire::Retries=3 \
    "${missing[@]}" >> build/apt.log 2>&1 < /dev/null; then
    tail -n 15 build/apt.log >&2
    fail "apt-get could not install them (whole log: build/apt.log)" "is there a network, and is this Debian 12?" \
      "retry by hand: apt-get update && apt-get install ${missing[*]}"
  fi
}

# The compilers and musl of the router agents. Without them everything but `mikroscope image` works.
set_up_agents() {
  if [ "$(dpkg --print-architecture)" != amd64 ]; then
    echo "router agents: left out, Debian has their cross compilers for amd64 hosts only"
    return
  fi
  cmake/fetch-musl.sh ||
    fail "musl could not be fetched (above)" "to go on without router agents: MIKROSCOPE_NO_AGENTS=1 ./install.sh"
}

build_packages() {
  echo "$kBuildPackages"
  if [ "$(dpkg --print-architecture)" = amd64 ] && [ -z "${MIKROSCOPE_NO_AGENTS:-}" ]; then echo "$kCrossPackages"; fi
}

# build PRESET [OPTION]: configures and compiles; what it prints goes to a log, of which a failure shows the errors.
build() {
  local log=build/$1.log start=$SECONDS
  mkdir -p build
  say "building preset $1 (log: $log)"
  local embed=AUTO
  [ -z "${MIKROSCOPE_NO_AGENTS:-}" ] || embed=OFF
  if ! { cmake --preset "$1" -DMIKROSCOPE_EMBED_AGENTS=$embed ${2:+"$2"} && cmake --build --preset "$1" -j "$jobs"; } > "$log" 2>&1; then
    grep -E 'error|Error|FAILED|undefined' "$log" | head -n 40 >&2 || tail -n 40 "$log" >&2
    fail "the build failed (whole log: $log)"
  fi
  echo "built in $((SECONDS - start)) s"
}

install_here() {
  say "installing to $prefix"
  cmake --install build/release --prefix "$prefix" --strip > build/install.log ||
    fail "cannot install to $prefix (log: build/install.log)"
  "$prefix/bin/mikroscope" version
  case ":$PATH:" in
    *":$prefix/bin:"*) ;;
    *) echo "note: $prefix/bin is not in PATH; add it with: export PATH=\"$prefix/bin:\$PATH\"" ;;
  esac
}

# The main job on this machine: ten seconds with two markers, and one core kept busy between them.
demo() {
  local tool=$prefix/bin/mikroscope dir=$PWD/build/demo
  mkdir -p "$dir"
  rm -f "$dir"/*
  mkfifo "$dir/markers"
  say "recording this machine for 10 s: $tool record --local --for 10s"
  (
    exec > "$dir/markers"
    sleep 3
    echo "load on"
    end=$((SECONDS + 4))
    while [ $SECONDS -lt $end ]; do :; done
    echo "load off"
  ) &
  local load=$!
  "$tool" record --local --for 10s --markers-from "$dir/markers" --out "$dir/demo" || fail "the recording failed (above)"
  wait "$load" || true
  rm -f "$dir/markers"
  say "drawing it: $tool plot --in $dir/demo"
  "$tool" plot --in "$dir/demo" --out "$dir/demo.svg" || fail "the plot failed (above)"
  ls -l "$dir"
  say "the picture: $dir/demo.svg"
}

# The same with a router in between: a double of one (there is none in a checkout), which runs the agent that was installed.
router_demo() {
  local tool=$prefix/bin/mikroscope dir=$PWD/build/demo/router
  rm -rf "$dir"
  mkdir -p "$dir"
  say "starting a router's double: build/release/tests/mikroscope-routersim --arch x86_64 --run loopback"
  MIKROSCOPE_PASSWORD=$(od -An -N12 -tx1 /dev/urandom | tr -d ' \n')
  export MIKROSCOPE_PASSWORD XDG_STATE_HOME=$dir/state XDG_CONFIG_HOME=$dir/config
  build/release/tests/mikroscope-routersim --arch x86_64 --run loopback --preset home --die-with-parent \
    --password "$MIKROSCOPE_PASSWORD" --request-log "$dir/requests" > "$dir/double.log" 2>&1 &
  local double=$!
  # shellcheck disable=SC2064
  trap "kill $double 2> /dev/null || true" EXIT
  local deadline=$((SECONDS + 15)) listening
  until grep -qx ready "$dir/double.log"; do
    kill -0 "$double" 2> /dev/null || { cat "$dir/double.log" >&2; fail "the double did not start (above)"; }
    [ $SECONDS -lt $deadline ] || fail "the double did not start within 15 s (log: $dir/double.log)"
    sleep 0.05
  done
  listening=$(sed -n 's/^api-ssl \([^ ]*\) sha256 \(.*\)/\1 \2/p' "$dir/double.log")
  local at=${listening% *} print=${listening#* }
  local router=(--router "admin@${at%:*}" --api-port "${at##*:}" --fingerprint "$print" --via api-ssl)
  verb() {
    say "mikroscope $* ${router[*]}"
    "$tool" "$@" "${router[@]}" || fail "\`mikroscope $1\` failed (above)"
  }
  verb doctor
  verb install --yes
  verb record --for 10s --out "$dir/router"
  say "mikroscope plot --in $dir/router"
  "$tool" plot --in "$dir/router" || fail "the plot failed (above)"
  verb uninstall --yes
  kill "$double"
  wait "$double" 2> /dev/null || true
  trap - EXIT
  say "the picture: $dir/router.svg"
}

case $mode in
  install | demo)
    # shellcheck disable=SC2046
    install_packages $(build_packages)
    [ -n "${MIKROSCOPE_NO_AGENTS:-}" ] || set_up_agents
    if [ "$mode" = demo ]; then build release -DMIKROSCOPE_ROUTERSIM=ON; else build release; fi
    install_here
    [ "$mode" = install ] || demo
    [ "$mode" = install ] || [ -n "${MIKROSCOPE_NO_AGENTS:-}" ] || router_demo
    ;;
  test)
    # shellcheck disable=SC2046
    install_packages $(build_packages) $kTestPackages
    [ -n "${MIKROSCOPE_NO_AGENTS:-}" ] || set_up_agents
    exec tests/run_all.sh
    ;;
esac
