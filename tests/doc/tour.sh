#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A session with the tool, as it is in doc/tour.md: prints that page. The agent
# is a stand-in, a shell script of the name claude; everything else is real.
# Exit 77 where no command can be protected. To make the page anew, in the build
# directory:
#
#	top_srcdir=.. top_builddir=. ./in-world sh ../tests/doc/tour.sh >tour.md
set -u
umask 022
top_srcdir=$(cd "$top_srcdir" && pwd) || exit 99
tool=$(cd "$top_builddir" && pwd)/omega-sandbox-built
# The home that the system knows, if it is nobody's yet, as in a world of ours.
home=$(getent passwd "$(id -u)" | cut -d: -f6)
if [ -n "$(ls -A "$home")" ] || [ ! -w "$home" ]; then
	echo "$home is somebody's" >&2
	exit 77
fi
base=$(mktemp -d /tmp/omega-tour.XXXXXX) || exit 99
trap 'rm -rf "$base" "$home"/* "$home"/.[a-z]*' EXIT
chmod 755 "$base"
mkdir -p "$home/project" "$home/reports" "$home/bin"
cat "$top_srcdir"/etc/shipped/*.conf >"$base/sandbox.conf"
echo 'plugin "bwrap" { program = "/none" }' >>"$base/sandbox.conf"
cat >"$home/bin/claude" <<'END'
#!/bin/sh
echo "claude: I have read $(wc -l <notes.txt) lines of notes.txt."
echo "- to do: nothing" >>notes.txt && echo "claude: I have added one."
cp notes.txt ~/reports/today &&
	echo "claude: The report is in ~/reports."
END
chmod 755 "$home/bin/claude"
cd "$home/project" || exit 99
echo "- write a tour" >notes.txt
export HOME="$home" PATH="$home/bin:/usr/local/bin:/usr/bin:/bin"
export LC_ALL=C
unset XDG_CONFIG_HOME

# As if the configuration were the installed one.
omega() {
	verb=$1
	shift
	"$tool" "$verb" --config "$base/sandbox.conf" \
		--data-dir "$home/.omega" "$@"
}

trust() {
	"$tool" trust
}

# show "WORDS": what a person types, and all that is seen.
show() {
	echo "    \$ $1"
	eval "$(echo "$1" | sed 's/^omega-sandbox trust/trust/
		s/^omega-sandbox /omega /')" </dev/null 2>&1 | cat >"$base/said"
	sed "s|$base/sandbox.conf:[0-9]*|agents.conf:LINE|g
		s|$home|~|g; s|^|    |; s| *\$||" "$base/said"
	echo
}

omega run -- true >"$base/said" 2>&1 || {
	cat "$base/said" >&2
	exit 77
}
cat <<'END'
# A tour

Made by `tests/doc/tour.sh`, and compared with what comes out of it by a test.
The agent is a stand-in that reads and writes a file of the project, and then a
report in the home. Installing is in [README.md](../README.md).

## The agent at work

A profile says what the program needs; the first start makes what it keeps its
state in.

END
show 'omega-sandbox run --agent claude -- claude'
cat <<'END'
The project was its to change. The report was not: only the work directory,
temporary files and its own state are. What is refused, and by which rule, is
told by `--why`:

END
show 'omega-sandbox run --agent claude --why -- claude'
cat <<'END'
## A little more

Once, by an option:

END
show 'omega-sandbox run --agent claude --write ~/reports -- claude'
cat <<'END'
Or always in this project, by a file that counts only after its user has looked
at it and said so:

END
show "echo 'allow_write = { \"~/reports\" }' >.omega-sandbox.conf"
show 'omega-sandbox run --agent claude -- true'
show 'omega-sandbox trust'
show 'omega-sandbox run --agent claude -- claude'
cat <<'END'
What nobody can grant is said with who forbids it:

END
show 'omega-sandbox run --agent claude --write /etc -- true'
cat <<'END'
## What cannot be planted

The project has no `.mcp.json` and no `.vscode`; what programs outside would obey
cannot be made either, and nothing is left of what holds it:

END
show "omega-sandbox run --agent claude -- sh -c 'mkdir .vscode/x; tee .mcp.json'"
show 'ls -A'
