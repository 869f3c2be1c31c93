#!/bin/sh
# Installs the browser that the web page's tests drive, where there is none and this user may; else says how.
set -eu
for name in chromium chromium-browser google-chrome google-chrome-stable; do
  command -v "$name" >/dev/null && exit 0
done
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  apt-get update --quiet
  DEBIAN_FRONTEND=noninteractive exec apt-get install --quiet --yes --no-install-recommends chromium
fi
echo "error: the web page's tests need a browser; install chromium, on Debian with 'sudo apt-get install chromium'" >&2
exit 1
