#!/usr/bin/env bash
# Installs what a target of the Makefile needs and this machine lacks:
#   setup.sh demo|check|document|bench
# Debian's packages where there are apt and root, else R packages from CRAN into the user's library.
# Safe to repeat; with nothing to do it takes a second.
set -euo pipefail
cd "$(dirname "$0")/.."
purpose=${1:-check}

have() { command -v "$1" >/dev/null 2>&1; }
can_apt() { have apt-get && [ "$(id -u)" -eq 0 ]; }

updated=no
apt_install() {
  if [ $updated = no ]; then
    apt-get -o DPkg::Lock::Timeout=300 update -qq
    updated=yes
  fi
  DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y -qq \
    --no-install-recommends "$@" >/dev/null
}

# Programs: "what to run or find|Debian's package", only those that are missing.
missing_programs() {
  have R || echo "R|r-base-core"
  have g++ && have gfortran && [ -f "$(R RHOME 2>/dev/null)/etc/Makeconf" ] ||
    echo "a compiler and what R needs to build packages|r-base-dev"
  have make || echo "make|make"
  have ccache || echo "ccache (optional)|ccache"
  [ -e /etc/ssl/certs/ca-certificates.crt ] || [ -e /etc/ssl/cert.pem ] || [ -d /etc/pki ] ||
    echo "certificates (optional)|ca-certificates"
  if [ "$purpose" = check ] || [ "$purpose" = bench ]; then
    have cmake || echo "cmake|cmake"
    [ -f /usr/include/catch2/catch.hpp ] || [ -f /usr/local/include/catch2/catch.hpp ] ||
      echo "Catch2, version 2|catch2"
  fi
  if [ "$purpose" = check ]; then
    have qpdf || echo "qpdf|qpdf"
    have pandoc || echo "pandoc|pandoc"
    have pdflatex || echo "pdflatex|texlive-latex-base"
    have kpsewhich && kpsewhich ptmr7t.tfm >/dev/null 2>&1 ||
      echo "the Times fonts of LaTeX|texlive-fonts-recommended"
  fi
}

programs=$(missing_programs)
if [ -n "$programs" ] && can_apt; then
  echo "Installing from Debian: $(cut -d'|' -f2 <<<"$programs" | tr '\n' ' ')"
  mapfile -t debs < <(cut -d'|' -f2 <<<"$programs")
  apt_install "${debs[@]}" || true  # what is still missing is told next
  hash -r
  programs=$(missing_programs)
fi
required=$(grep -v '(optional)' <<<"$programs" || true)
if [ -n "$required" ]; then
  echo "\`make $purpose\` needs, and this machine lacks:" >&2
  while IFS='|' read -r what deb; do echo "  - $what (Debian: $deb)" >&2; done <<<"$required"
  if can_apt; then
    echo "apt-get could not install them; its messages are above." >&2
  else
    echo "As root on a Debian-like machine, \`.ci/setup.sh $purpose\` installs them. Elsewhere" >&2
    echo "install them yourself, then run \`make $purpose\` again." >&2
  fi
  exit 1
fi

# R packages: Debian's first, since they need no compiling. packages.R reads DESCRIPTION.
packages=$(Rscript .ci/packages.R missing "$purpose")
[ -n "$packages" ] || exit 0

if can_apt; then
  apt-get -o DPkg::Lock::Timeout=300 update -qq
  updated=yes
  debs=()
  for package in $packages; do
    for deb in "r-cran-${package,,}" "r-bioc-${package,,}"; do
      # Already there means too old for DESCRIPTION: that is for CRAN.
      if apt-cache show "$deb" >/dev/null 2>&1 && ! dpkg -s "$deb" >/dev/null 2>&1; then
        debs+=("$deb")
        break
      fi
    done
  done
  if [ ${#debs[@]} -gt 0 ]; then
    echo "Installing from Debian: ${debs[*]}"
    apt_install "${debs[@]}" || echo "apt-get failed; trying CRAN." >&2
  fi
fi
Rscript .ci/packages.R install "$purpose"
