#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Completion in bash, fish and zsh, as somebody who presses Tab meets it; what
# is not installed is skipped. Prints TAP.
set -u
: "${top_builddir:=.}" "${srcdir:=.}"
completion=$(cd "$srcdir/completion" && pwd)
number=0

base=$(mktemp -d /tmp/omega-completion.XXXXXX) || exit 99
trap 'rm -rf "$base"' EXIT
trap 'exit 99' HUP INT TERM
mkdir -p "$base/bin" "$base/place/inner" "$base/home"
echo x >"$base/place/afile"
# Built as it is installed, it may be a script that wants its own name.
cat >"$base/bin/omega-sandbox" <<END
#!/bin/sh
exec "$(cd "$top_builddir" && pwd)/omega-sandbox" "\$@"
END
printf '#!/bin/sh\n' >"$base/bin/omega-some-command"
chmod 755 "$base/bin/omega-sandbox" "$base/bin/omega-some-command"
cat >"$base/own.conf" <<'END'
policy "careful" { description = "of the test" }
policy "careless" { description = "of the test" }
agent "somebody" { description = "of the test" }
END
PATH=$base/bin:$PATH
HOME=$base/home
export PATH HOME
unset XDG_CONFIG_HOME XDG_DATA_HOME

result() {
	number=$((number + 1))
	if [ "$1" = 0 ]; then
		echo "ok $number - $2"
	else
		echo "not ok $number - $2"
		printf '%s\n' "$got" "$errors" | sed 's/^/# /'
	fi
}

skip() {
	number=$((number + 1))
	echo "ok $number - $1 # SKIP $2"
}

# tab SHELL WORD...: what completes the last word, in $got.
tab() {
	shell=$1
	shift
	got=$(cd "$base/place" && "complete_in_$shell" "$@" \
		2>"$base/errors" | sort -u)
	errors=$(cat "$base/errors")
}

# As bash splits the line, which breaks words at "=" too.
complete_in_bash() {
	bash --norc --noprofile -c '
		file=$1
		shift
		. "$file" || exit 1
		COMP_WORDS=(omega-sandbox "$@")
		COMP_CWORD=$#
		_omega_sandbox omega-sandbox "${@: -1}"
		printf "%s\n" "${COMPREPLY[@]}"' bash \
		"$completion/omega-sandbox.bash" "$@"
}

complete_in_fish() {
	line=omega-sandbox
	for word in "$@"; do
		line="$line $word"
	done
	fish --no-config -c 'source $argv[1]; complete -C $argv[2]' \
		"$completion/omega-sandbox.fish" "$line" | cut -f 1
}

# A line editor on a terminal of its own; what compadd is given is what is
# offered, and what fits is kept.
cat >"$base/tab.zsh" <<'END'
zmodload zsh/zpty || exit 1
zpty shell zsh -f -i
zpty -w shell "PS1= PS2= RPS1=; stty -echo"
zpty -w shell "fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -D"
zpty -w shell 'compadd() {
	local -a kept
	[[ ${@[1,(i)(-|--)]} = *-(O|A|D)\ * ]] && {
		builtin compadd "$@"
		return
	}
	builtin compadd -O kept "$@"
	print -rl -- "@"$^kept >>'"$2"'
	builtin compadd "$@"
}'
zpty -w shell 'say() { print -rl done >>'"$2"'; zle kill-buffer }
zle -N say; bindkey "^X" say; print ready >>'"$2"
for i in {1..600}; do
	grep -q ready $2 2>/dev/null && break
	sleep 0.1
done
zpty -n -w shell "$3"$'\t'$'\x18'
for i in {1..600}; do
	grep -q done $2 && break
	sleep 0.1
done
sed -n 's/^@//p' $2
zpty -d shell
END

complete_in_zsh() {
	line=omega-sandbox
	for word in "$@"; do
		line="$line $word"
	done
	rm -f "$base/offered"
	zsh -f "$base/tab.zsh" "$completion" "$base/offered" "$line"
}

offers() { # offers NAME EXPECTED-WORD...: all of them
	name=$1
	shift
	for word in "$@"; do
		printf '%s\n' "$got" | grep -qxF -e "$word" || {
			result 1 "$shell: $name: $word"
			return
		}
	done
	result 0 "$shell: $name"
}

only() { # only NAME EXPECTED-WORD...: these and no others, sorted
	name=$1
	shift
	[ "$got" = "$(printf '%s\n' "$@")" ]
	result $? "$shell: $name"
}

# The verbs and the options, as the tool's help has them.
verbs=$(omega-sandbox --help | sed -n '/^verbs:/,$s/^  \([a-z]*\) .*/\1/p')
options_of() {
	omega-sandbox "$1" --help | sed -n 's/^ *\(--[a-z-]*\).*/\1/p'
}

try() {
	tab "$1" ''
	# shellcheck disable=SC2086
	offers "all verbs" $verbs
	tab "$1" o
	only "no word of the usage" ""
	tab "$1" desc
	only "one verb" describe
	for verb in $verbs; do
		tab "$1" "$verb" --
		# shellcheck disable=SC2046
		offers "options of $verb" $(options_of "$verb")
	done
	tab "$1" describe --sess
	only "one option" --session
	tab "$1" run --net ''
	only "modes of the network" allow deny unix-only
	tab "$1" run --unix-sockets ''
	only "which UNIX sockets" all none own
	tab "$1" run --session ''
	only "which session" keep new pty
	tab "$1" run --config "$base/own.conf" --policy care
	only "policies of the configuration" careful careless
	tab "$1" describe --config "$base/own.conf" --agent some
	only "agents" somebody
	tab "$1" list p
	only "what there is to list" policies
	tab "$1" check ''
	only "accesses" execute read write
	tab "$1" config --json s
	only "a word behind an option" show
	tab "$1" explain af
	only "a path" afile
	tab "$1" run omega-some-c
	only "a command" omega-some-command
	tab "$1" run --net deny -- omega-some-c
	only "a command behind --" omega-some-command
	tab "$1" run omega-some-command af
	only "its argument" afile
}

for shell in bash fish zsh; do
	if ! command -v $shell >/dev/null; then
		skip "completion in $shell" "$shell is not installed"
		continue
	fi
	try $shell
done

if command -v bash >/dev/null; then
	shell=bash
	tab bash run --config = "$base/own.conf" --policy = caref
	only "values behind =" careful
	tab bash run --backend land
	only "backends" landlock
	tab bash run --backend landlock,name
	only "several of them" landlock,namespace
	tab bash run --backend landlock,land
	only "none twice" ""
	tab bash run --data-dir in
	only "a directory" inner
	tab bash rpc --jobs ''
	only "a number is not completed" ""
fi

# Every option with a value, by the help, is known to have one.
for verb in run rpc check config; do
	omega-sandbox "$verb" --help
done | sed -n 's/^  \(--[a-z-]*\) [A-Z].*/\1/p' | sort -u >"$base/options"
for file in omega-sandbox.bash omega-sandbox.fish _omega-sandbox; do
	got=$(while read -r option; do
		grep -q -e "$option[ )]" "$completion/$file" || echo "$option"
	done <"$base/options")
	errors=
	[ -s "$base/options" ] && [ -z "$got" ]
	result $? "$file knows all options with a value"
done
echo "1..$number"
