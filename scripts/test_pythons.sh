#!/usr/bin/env bash
# The fast part of the suite with a wheel on other versions of Python: test_pythons.sh WHEEL SOURCE PYTHON...
# A version that this machine does not have is reported, and is not an error.
set -euo pipefail
wheel=$(realpath "$1") source=$(realpath "$2")
shift 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for python in "$@"; do
    if ! "$python" --version > /dev/null 2>&1; then
        echo "$python: not on this machine"
        continue
    fi
    "$python" -m venv "$folder/$(basename "$python")"
    programs=$folder/$(basename "$python")/bin
    (
        cd "$source"
        "$programs/pip" install --quiet "$wheel" pytest hypothesis
        "$programs/python" -m pytest --quiet -p no:cacheprovider @tests/of_the_wheel.txt
    )
    echo "$("$programs/python" --version): passed, $("$programs/unjudged" --version)"
done
