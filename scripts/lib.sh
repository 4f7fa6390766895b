# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What scripts/demo and scripts/test share. Sourced, with `set -euo pipefail` on.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '%s%s%s\n' "${bold}" "== $*" "${plain}"; }
die() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

bold='' plain=''
if [[ -t 1 && -z ${NO_COLOR:-} ]]; then
  bold=$'\e[1m' plain=$'\e[0m'
fi

# listPackages VERSIONS GROUPS: the packages of these groups, one a line.
listPackages() {
  local versions=$1 groups=" $2 " group names name version
  while read -r group names; do
    [[ -z $group || $group == '#'* || $groups != *" $group "* ]] && continue
    for name in $names; do
      if [[ $name == *@* ]]; then
        for version in $versions; do echo "${name/@/$version}"; done
      else
        echo "$name"
      fi
    done
  done <"$root/scripts/packages"
}

isInstalled() {
  [[ $(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

asRoot() {
  if [[ $(id -u) -eq 0 ]]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    die "installing packages needs root: run as root, install sudo, or install them yourself: $*"
  fi
}

# needPackages PACKAGE...: installs those that are missing, and says which.
needPackages() {
  if ! command -v dpkg-query >/dev/null; then
    echo "This is not Debian or Ubuntu: the equivalents of scripts/packages are taken to be installed."
    return
  fi
  local package missing=() unknown=()
  for package in "$@"; do
    isInstalled "$package" || missing+=("$package")
  done
  [[ ${#missing[@]} -eq 0 ]] && return

  say "Installing ${#missing[@]} packages: ${missing[*]}"
  asRoot apt-get update -qq
  for package in "${missing[@]}"; do
    apt-cache show --no-all-versions "$package" >/dev/null 2>&1 || unknown+=("$package")
  done
  if [[ ${#unknown[@]} -ne 0 ]]; then
    die "apt knows no ${unknown[*]}.
  Debian 12 has LLVM 22 in its security suite (bookworm-security); see that apt's
  sources list it. On other systems the LLVM project's own apt packages do.
  Other packages of the list are in Ubuntu's 'universe'. Then run this script again."
  fi
  asRoot env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends -o Dpkg::Use-Pty=0 "${missing[@]}" >/dev/null
}

jobs=$(nproc)

# buildFolder VERSION: where QDAdvise is built for one LLVM version.
buildFolder() { echo "${QDADVISE_BUILD:-$root/build/llvm$1}"; }

# buildQdadvise VERSION: builds what is installed. A fresh build folder leaves tests and benchmarks
# out; one that is there stays as it is.
buildQdadvise() {
  local version=$1 build
  build=$(buildFolder "$version")
  if [[ ! -f $build/build.ninja ]]; then
    (cd "$root" && cmake --preset "llvm$version" -B "$build" -DBUILD_TESTING=OFF \
      -DQDADVISE_BENCHMARKS=OFF -DQDADVISE_COLD_BUILD=ON -DQDADVISE_WERROR=OFF >/dev/null)
  fi
  cmake --build "$build" --parallel "$jobs" --target installed
}
