# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Fetches source packages of Debian; needs scripts/lib.sh.

# fetchSource PACKAGE: its sources, unpacked in the folder `src` of the current one. The system's
# package lists stay as they are: sources have lists of their own here.
fetchSource() {
  local source=$1 distribution mirror out=$PWD
  local apt=(-o "Dir::Etc::sourcelist=$out/apt/sources.list" -o Dir::Etc::sourceparts=-
    -o "Dir::State::lists=$out/apt/lists" -o "Dir::Cache=$out/apt/cache"
    -o APT::Sandbox::User=root)
  mkdir -p apt/lists/partial apt/cache/archives/partial
  distribution=$(. /etc/os-release && echo "$ID")
  [[ $distribution == debian ]] || die "source packages are fetched from Debian's archive; this is $distribution"
  # The mirror that this machine has its packages from.
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Codename: bookworm' | head -n 1)
  [[ -n $mirror ]] || die "apt has no lists of Debian 12 (bookworm); run apt-get update"
  echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror bookworm main" \
    >apt/sources.list
  apt-get "${apt[@]}" -qq update
  (cd apt && apt-get "${apt[@]}" -qq source --download-only "$source")
  dpkg-source -x apt/"$source"_*.dsc src >fetch.log 2>&1 || die "unpacking failed; see $out/fetch.log"
}
