#!/usr/bin/env bash
# Installs what is needed to build and test gemmscope, says what and why, and keeps what is already there.
#
#   scripts/setup.sh tools  only the site's tools, from Cargo.toml and this script: a layer of the container's build
#   scripts/setup.sh site   tools, and the crates: needed by the site build
#   scripts/setup.sh docs   site, and what the book needs
#   scripts/setup.sh        docs, and what the tests need (a browser)
#
# GEMMSCOPE_ENGINES=all also installs Firefox and WebKit, so that none of their tests is skipped.
#
# Tools of the right version on PATH are used; missing ones are installed to .tools/ in this project (or the folder
# GEMMSCOPE_TOOLS), never over an installed one. Only Debian packages, if needed, are installed in the system. Writes
# .tools/env (PATH, CHROME) and .tools/env-wasm (the compiler for wasm32); make reads both.
set -euo pipefail
cd "$(dirname "$0")/.."

WANT=${1:-all}
TRUNK_VERSION=0.21.14
BINDGEN_VERSION=$(sed -n 's/^wasm-bindgen = "=\([0-9.]*\)".*/\1/p' Cargo.toml)
TARGET=wasm32-unknown-unknown
TOOLS=${GEMMSCOPE_TOOLS:-$PWD/.tools}
LOGS=$TOOLS/log
mkdir -p "$TOOLS/bin" "$LOGS"
PATH=$TOOLS/bin:$PATH
# Both files are rewritten on each run; the steps below append to them.
ENV_LINES=("export GEMMSCOPE_TOOLS=\"$TOOLS\"" "export PATH=\"$TOOLS/bin:\$PATH\"")
WASM_LINES=()
TIMES=()

die() { printf '\nsetup: %s\n' "$*" >&2; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }

# step NAME WHY COMMAND...: runs a command, with its output in a log, and measures its time.
step() {
  local name=$1 why=$2 start=$SECONDS log
  shift 2
  log=$LOGS/${name// /-}.log
  printf 'setup: %s (%s) ...\n' "$name" "$why"
  if ! "$@" >"$log" 2>&1 </dev/null; then
    tail -n 25 "$log" >&2
    die "$name failed; the whole log is $log"
  fi
  TIMES+=("$(printf '%5d s  %s' $((SECONDS - start)) "$name")")
}

# apt COMMAND PACKAGE...: installs Debian packages, or says what to do if there is no apt.
APT_FRESH=
apt() {
  local sudo=()
  have apt-get || die "please install $* with your system's package manager, then run this again"
  if [ "$(id -u)" != 0 ]; then
    have sudo || die "please run as root: apt-get install $*"
    sudo=(sudo)
  fi
  if [ -z "$APT_FRESH" ]; then
    step 'apt-get update' 'package lists' "${sudo[@]}" apt-get update
    APT_FRESH=1
  fi
  step "apt-get install" "$*" "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
}

# ---- Rust for this machine -------------------------------------------------------------------------------------------
have cargo && have rustc || die "Rust is missing: install it from https://rustup.rs (1.90 or newer), then run this again"
have node && have npm || die "Node.js 20 or newer is missing: Binaryen and the browser tests run under it"
if [ "$WANT" = all ]; then
  cargo fmt --version >/dev/null 2>&1 || rustup component add rustfmt || die "rustfmt is missing"
  cargo clippy --version >/dev/null 2>&1 || rustup component add clippy || die "clippy is missing"
fi

# ---- Trunk -----------------------------------------------------------------------------------------------------------
# The tools run for seconds only, so compile them quickly rather than with optimisation.
quick_install() {
  local opt=$1 name=$2
  shift 2
  CARGO_PROFILE_RELEASE_OPT_LEVEL=$opt CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=64 \
    CARGO_PROFILE_RELEASE_DEBUG=0 CARGO_PROFILE_RELEASE_STRIP=symbols \
    cargo install --root "$TOOLS" --target-dir "$TOOLS/build/$name" "$@"
}

BACKGROUND=
if [ "$(trunk --version 2>/dev/null)" != "trunk $TRUNK_VERSION" ]; then
  # The longest step, so it runs in the background, in a separate process group so that Ctrl+C ends it too. Without TLS:
  # Trunk runs offline here and downloads nothing.
  set -m
  (
    step "trunk $TRUNK_VERSION" 'builds the site' quick_install 0 trunk trunk --version $TRUNK_VERSION --locked --no-default-features
    printf '%s' "${TIMES[@]}" >"$LOGS/background"
  ) &
  BACKGROUND=$!
  set +m
  trap 'kill -- "-$BACKGROUND" 2>/dev/null || true' EXIT
fi

# ---- Rust for wasm32 -------------------------------------------------------------------------------------------------
# Either the active toolchain has the target, or rustup can add it; otherwise Debian's rustc-web has a compiler with the
# library's source, and std is built once into our own sysroot. GEMMSCOPE_STD=debian forces the latter.
has_std() { compgen -G "$1/lib/rustlib/$TARGET/lib/libstd-*.rlib" >/dev/null; }
TOOLCHAIN=$TOOLS/toolchain
DEBIAN_RUSTC=/usr/bin/rustc

build_std() {
  local scratch=$TOOLS/build/std lib=$TOOLCHAIN/lib/rustlib/$TARGET/lib host
  rm -rf "$scratch" "$TOOLCHAIN"
  mkdir -p "$scratch/src" "$lib" "$TOOLCHAIN/bin"
  printf '[package]\nname = "empty"\nversion = "0.0.0"\nedition = "2021"\n[lib]\n[workspace]\n' >"$scratch/Cargo.toml"
  : >"$scratch/src/lib.rs"
  # A stable compiler only accepts -Z build-std with RUSTC_BOOTSTRAP; LTO needs bitcode.
  (cd "$scratch" && env -u CARGO_TARGET_DIR RUSTC=$DEBIAN_RUSTC RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Cembed-bitcode=yes \
    /usr/bin/cargo build --release --target $TARGET -Z build-std=std,panic_abort,proc_macro,test) || return 1
  cp "$scratch/target/$TARGET/release/deps/"lib*.rlib "$lib/" || return 1
  rm -f "$lib"/libempty-*.rlib
  host=$($DEBIAN_RUSTC -vV | sed -n 's/^host: //p')
  ln -s "$($DEBIAN_RUSTC --print sysroot)/lib/rustlib/$host" "$TOOLCHAIN/lib/rustlib/$host"
  printf '#!/bin/sh\nexec "%s" --sysroot "%s" "$@"\n' "$DEBIAN_RUSTC" "$TOOLCHAIN" >"$TOOLCHAIN/bin/rustc"
  # cargo-clippy looks for its driver beside itself, and the driver reads SYSROOT.
  printf '#!/bin/sh\nCARGO=/usr/bin/cargo SYSROOT="%s" exec /usr/bin/cargo-clippy "$@"\n' "$TOOLCHAIN" >"$TOOLCHAIN/bin/cargo-clippy"
  chmod +x "$TOOLCHAIN/bin/"*
  $DEBIAN_RUSTC --version >"$TOOLCHAIN/version"
  rm -rf "$scratch"
}

add_target() { have rustup && timeout 300 rustup target add $TARGET && has_std "$(rustc --print sysroot)"; }
# Try rustup only once: a machine without access to it keeps the sysroot built below.
built_std() { [ -x "$TOOLCHAIN/bin/rustc" ] && has_std "$TOOLCHAIN" && [ "$($DEBIAN_RUSTC --version 2>/dev/null)" = "$(cat "$TOOLCHAIN/version")" ]; }

if [ "${GEMMSCOPE_STD:-}" = debian ] || ! has_std "$(rustc --print sysroot)"; then
  if ! built_std && { [ "${GEMMSCOPE_STD:-}" = debian ] || ! add_target >"$LOGS/rustup-target.log" 2>&1; }; then
    echo "setup: rustup does not add $TARGET here; building its standard library from Debian's sources"
    [ -x /usr/bin/rustc ] && [ -x /usr/bin/cargo ] && [ -x /usr/bin/cargo-clippy ] && have wasm-ld-19 \
      && [ -f "$(/usr/bin/rustc --print sysroot)/lib/rustlib/src/rust/library/Cargo.lock" ] \
      || apt rustc-web cargo-web rust-web-src rust-web-clippy lld-19
    step 'std for wasm32' 'the standard library for the browser' build_std
  fi
  if built_std; then
    WASM_LINES+=("export PATH=\"$TOOLCHAIN/bin:\$PATH\"" "export RUSTC=\"$TOOLCHAIN/bin/rustc\"" \
      "export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=wasm-ld-19")
  fi
fi

# ---- wasm-bindgen, node modules ------------------------------------------------------------------------------------------
[ -n "$BINDGEN_VERSION" ] || die 'Cargo.toml pins no wasm-bindgen = "=X.Y.Z"'
if [ "$(wasm-bindgen --version 2>/dev/null)" != "wasm-bindgen $BINDGEN_VERSION" ]; then
  grep -qx "wasm-bindgen-cli-support = \"=$BINDGEN_VERSION\"" scripts/wasm-bindgen/Cargo.toml ||
    die "scripts/wasm-bindgen/Cargo.toml has to name wasm-bindgen $BINDGEN_VERSION as Cargo.toml does"
  step "wasm-bindgen $BINDGEN_VERSION" 'the JS side of the wasm; must match Cargo.toml exactly' \
    quick_install 1 wasm-bindgen --path scripts/wasm-bindgen --locked
fi
if [ -n "$BACKGROUND" ]; then
  wait "$BACKGROUND" || exit 1
  trap - EXIT
  TIMES+=("$(cat "$LOGS/background") (beside the others)")
fi
rm -rf "$TOOLS/build"
# Binaryen; then what public/parquet.mjs imports, and esbuild, with which scripts/parquet.mjs makes one module of it. What
# is installed is the lock file, by digest, and none of it runs a script of its own while it is.
if ! cmp -s scripts/npm/package-lock.json "$TOOLS/npm/package-lock.json"; then
  npm_tools() {
    mkdir -p "$TOOLS/npm" && cp scripts/npm/package*.json "$TOOLS/npm/" &&
      npm ci --ignore-scripts --no-audit --no-fund --prefix "$TOOLS/npm" ||
      { rm -f "$TOOLS/npm/package-lock.json"; return 1; }
  }
  step 'npm tools' "make the wasm smaller; the page's reader of Parquet files and what puts it together" npm_tools
fi
ENV_LINES+=("export PATH=\"$TOOLS/npm/node_modules/.bin:\$PATH\"")

# ---- Crates ----------------------------------------------------------------------------------------------------------
# Trunk builds offline, so every crate of Cargo.lock must be here first.
if [ "$WANT" != tools ] && ! cargo fetch --locked --offline >/dev/null 2>&1; then
  step 'crates' 'the dependencies in Cargo.lock' cargo fetch --locked
fi

# ---- A browser for the tests -----------------------------------------------------------------------------------------
first_of() { local c; for c; do if [ -n "$c" ] && have "$c"; then command -v "$c"; return; fi; done; }
# Headless Chromium takes a third less CPU time; Chromium itself is the fallback.
if [ "$WANT" = all ]; then
  find_browser() { CHROME=$(first_of "${CHROME:-}" chromium-headless-shell chromium chromium-browser google-chrome google-chrome-stable); }
  find_browser
  if [ -z "$CHROME" ] || { [ "${GEMMSCOPE_ENGINES:-}" = all ] && ! have chromium-headless-shell; }; then
    (apt chromium-headless-shell) || [ -n "$CHROME" ] || apt chromium
    find_browser
  fi
  ENV_LINES+=("export CHROME=\"$CHROME\"")
  if [ "${GEMMSCOPE_ENGINES:-}" = all ]; then
    missing=()
    [ -n "$(first_of "${FIREFOX:-}" firefox-esr firefox)" ] || missing+=(firefox-esr)
    have WebKitWebDriver || missing+=(webkit2gtk-driver)
    have Xvfb || missing+=(xvfb)
    if [ ${#missing[@]} -gt 0 ]; then apt "${missing[@]}"; fi
  fi
  for module in playwright-core axe-core; do
    version=$(sed -n "s/.*\"$module\": \"\(.*\)\".*/\1/p" e2e/package.json)
    if ! grep -qs "\"version\": \"$version\"" "e2e/node_modules/$module/package.json"; then
      step "$module $version" 'drives the browser in the end-to-end tests, and looks for what a screen reader misses' \
        npm ci --ignore-scripts --no-audit --no-fund --prefix e2e
    fi
  done
fi

# ---- The server of deploy/, whose configuration a test runs -----------------------------------------------------------
# Unpacked beside the other tools, not installed: an installed one would start and take port 80. If neither works, that
# one test is skipped.
if [ "$WANT" = all ]; then
  PATH=$PATH:/usr/sbin:$TOOLS/nginx/usr/sbin
  unpack_nginx() {
    rm -rf "$TOOLS/nginx" && mkdir -p "$TOOLS/nginx" && cd "$TOOLS/nginx" &&
      { apt-get download nginx || { { [ "$(id -u)" = 0 ] && apt-get update; } && apt-get download nginx; }; } &&
      dpkg -x nginx_*.deb . && rm nginx_*.deb && usr/sbin/nginx -v
  }
  if ! have nginx && have apt-get && have dpkg; then
    (step nginx 'runs deploy/nginx.conf in a test' unpack_nginx) || echo "setup: no nginx; the test of deploy/nginx.conf will be skipped"
  fi
  ENV_LINES+=("export PATH=\"\$PATH:/usr/sbin:$TOOLS/nginx/usr/sbin\"")
fi

# ---- Documentation systems: our own book, and the ones that the embedding recipes are built with ---------------------
if [ "$WANT" = all ] || [ "$WANT" = docs ]; then
  want=$(sha256sum scripts/docs-requirements.txt | cut -c1-16)
  if [ "$(cat "$TOOLS/docs/.want" 2>/dev/null)" != "$want" ]; then
    have python3 || apt python3 python3-venv
    docs_tools() {
      rm -rf "$TOOLS/docs"
      python3 -m venv "$TOOLS/docs" &&
        "$TOOLS/docs/bin/pip" install --quiet --disable-pip-version-check --require-hashes -r scripts/docs-requirements.txt &&
        echo "$want" >"$TOOLS/docs/.want"
    }
    step 'documentation systems' 'mdBook, MkDocs and Sphinx, for the book and the recipes' docs_tools
  fi
  ENV_LINES+=("export PATH=\"\$PATH:$TOOLS/docs/bin\"")
fi

# Another make may read the files meanwhile, so replace them instead of truncating.
put() { local to=$1; shift; printf '%s\n' "# Written by scripts/setup.sh" "$@" >"$to.$$" && mv "$to.$$" "$to"; }
mkdir -p .tools
put .tools/env "${ENV_LINES[@]}"
put .tools/env-wasm ". \"$PWD/.tools/env\"" ${WASM_LINES[@]+"${WASM_LINES[@]}"}

if [ ${#TIMES[@]} -gt 0 ]; then
  printf 'setup: done in %d s\n' "$SECONDS"
  printf '  %s\n' "${TIMES[@]}"
else
  echo "setup: everything is there"
fi
