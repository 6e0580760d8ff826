# SPDX-License-Identifier: MIT
#
# Completion of omega-sandbox for bash. Verbs and options are those of the
# tool's own help; names of policies, agents and backends those it lists.

# The verbs.
_omega_sandbox_verbs() {
	"$1" --help 2>/dev/null |
		while read -r word rest; do
			case $word in
			verbs:) seen=1 ;;
			?*) [ -z "${seen-}" ] || printf '%s\n' "$word" ;;
			esac
		done
}

# The options of a verb.
_omega_sandbox_options() {
	"$1" "$2" --help 2>/dev/null |
		while read -r word rest; do
			case $word in
			--?*) printf '%s\n' "$word" ;;
			esac
		done
}

# What there is of a kind, with the configuration the line names.
_omega_sandbox_names() {
	local tool=$1 kind=$2
	shift 2
	"$tool" list "$kind" "$@" 2>/dev/null |
		while read -r word rest; do
			printf '%s\n' "$word"
		done
}

# Several, separated by commas: the last one is completed.
_omega_sandbox_backends() {
	local tool=$1 cur=$2 head= name
	shift 2
	case $cur in
	*,*) head=${cur%,*}, ;;
	esac
	for name in $(_omega_sandbox_names "$tool" backends "$@"); do
		case ",$head" in
		*",$name,"*) ;;
		*) printf '%s\n' "$head$name" ;;
		esac
	done
}

_omega_sandbox_words() {
	local IFS=$' \t\n'
	COMPREPLY=($(compgen -W "$1" -- "$2"))
}

_omega_sandbox_paths() {
	local IFS=$'\n'
	compopt -o filenames 2>/dev/null
	COMPREPLY=($(compgen "$1" -- "$2"))
}

_omega_sandbox() {
	local tool=${COMP_WORDS[0]} verb=${COMP_WORDS[1]-}
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local i first=0 ended=
	local -a config=()

	COMPREPLY=()
	if [ "$COMP_CWORD" = 1 ]; then
		_omega_sandbox_words \
			"$(_omega_sandbox_verbs "$tool") --help --version" "$cur"
		return
	fi
	# "--policy=x" is three words for bash.
	if [ "$cur" = = ]; then
		cur=
	elif [ "$prev" = = ]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	# The first word that is neither an option nor the value of one.
	for ((i = 2; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		--)
			ended=1
			first=$((i + 1))
			break
			;;
		--config)
			((i++))
			[ "${COMP_WORDS[i]}" != = ] || ((i++))
			[ "$i" -ge "$COMP_CWORD" ] ||
				config=(--config "${COMP_WORDS[i]}")
			;;
		--policy | --agent | --data-dir | --work-dir | --net | \
			--policy-file | --read | --write | --execute | --env | \
			--allow-host | \
			--unix-sockets | --session | --backend | --timeout | \
			--max-output | --context | --jobs | \
			--config-path | --merge)
			((i++))
			[ "${COMP_WORDS[i]}" != = ] || ((i++))
			;;
		-*) ;;
		*)
			[ "$first" != 0 ] || first=$i
			case $verb in run | learn) break ;; esac
			;;
		esac
	done
	# The command of run is completed as such.
	if { [ "$verb" = run ] || [ "$verb" = learn ]; } &&
		[ "$first" != 0 ]; then
		if declare -F _command_offset >/dev/null &&
			[ "$first" -le "$COMP_CWORD" ]; then
			_command_offset "$first"
		elif [ "$first" = "$COMP_CWORD" ]; then
			_omega_sandbox_paths -c "$cur"
		else
			_omega_sandbox_paths -f "$cur"
		fi
		return
	fi
	if [ -z "$ended" ]; then
		case $prev in
		--config | --config-path | --merge | --policy-file | \
			--read | --write | --execute)
			_omega_sandbox_paths -f "$cur"
			return
			;;
		--env)
			_omega_sandbox_words "$(compgen -e)" "$cur"
			return
			;;
		--data-dir | --work-dir)
			_omega_sandbox_paths -d "$cur"
			return
			;;
		--policy)
			_omega_sandbox_words "$(_omega_sandbox_names "$tool" \
				policies "${config[@]}")" "$cur"
			return
			;;
		--agent)
			_omega_sandbox_words "$(_omega_sandbox_names "$tool" \
				agents "${config[@]}")" "$cur"
			return
			;;
		--backend)
			_omega_sandbox_words "$(_omega_sandbox_backends \
				"$tool" "$cur" "${config[@]}")" "$cur"
			return
			;;
		--net)
			_omega_sandbox_words "allow unix-only deny" "$cur"
			return
			;;
		--unix-sockets)
			_omega_sandbox_words "all own none" "$cur"
			return
			;;
		--session)
			_omega_sandbox_words "new pty keep" "$cur"
			return
			;;
		--jobs) return ;;
		esac
		case $cur in
		-*)
			_omega_sandbox_words \
				"$(_omega_sandbox_options "$tool" "$verb")" \
				"$cur"
			return
			;;
		esac
	fi
	case $verb in
	run | learn) _omega_sandbox_paths -c "$cur" ;;
	list)
		[ "$first" != 0 ] || _omega_sandbox_words \
			"backends policies agents groups tiers" "$cur"
		;;
	check)
		if [ "$first" = 0 ]; then
			_omega_sandbox_words "read write execute" "$cur"
		else
			_omega_sandbox_paths -f "$cur"
		fi
		;;
	config)
		[ "$first" != 0 ] || _omega_sandbox_words "show check path" "$cur"
		;;
	explain) _omega_sandbox_paths -f "$cur" ;;
	esac
}

complete -F _omega_sandbox omega-sandbox
