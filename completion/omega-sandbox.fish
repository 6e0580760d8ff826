# SPDX-License-Identifier: MIT
#
# Completion of omega-sandbox for fish. Verbs and options are those of the
# tool's own help; names of policies, agents and backends those it lists.

function __omega_sandbox_words
    commandline -opc
end

# The verbs with their summaries.
function __omega_sandbox_verbs
    set -l words (__omega_sandbox_words)
    $words[1] --help 2>/dev/null |
        string replace -rf '^  ([a-z]+) +(.*)' '$1\t$2'
end

# The options of the verb on the line, with what they are for.
function __omega_sandbox_options
    set -l words (__omega_sandbox_words)
    $words[1] $words[2] --help 2>/dev/null |
        string replace -rf '^ +(--[a-z-]+)(?: [A-Z]+)? +(.*)' '$1\t$2'
end

# What there is of a kind, with the configuration the line names.
function __omega_sandbox_names -a kind
    set -l words (__omega_sandbox_words)
    set -l config
    set -l at (contains -i -- --config $words)
    and test $at -lt (count $words)
    and set config --config $words[(math $at + 1)]
    $words[1] list $kind $config 2>/dev/null |
        string replace -rf '^(\S+)\s+(.*)' '$1\t$2'
end

# Still before the verb?
function __omega_sandbox_is_first
    test (count (__omega_sandbox_words)) -eq 1
end

function __omega_sandbox_is
    set -l words (__omega_sandbox_words)
    test (count $words) -ge 2
    and contains -- $words[2] $argv
end

# The number of the first word that is neither an option nor the value of one,
# behind the verb; nothing: there is none yet.
function __omega_sandbox_operand
    set -l words (__omega_sandbox_words)
    set -l i 3
    while test $i -le (count $words)
        switch $words[$i]
            case --
                math $i + 1
                return
            case --config --policy --agent --data-dir --work-dir --net --allow-host \
                --policy-file --read --write --execute --env \
                --unix-sockets --session --backend --timeout --max-output \
                --context --jobs --config-path --merge
                set i (math $i + 1)
            case '-*'
            case '*'
                echo $i
                return
        end
        set i (math $i + 1)
    end
    return 1
end

function __omega_sandbox_has_operand
    __omega_sandbox_operand >/dev/null
end

# The command of run, completed as it would be by itself.
function __omega_sandbox_command
    set -l words (__omega_sandbox_words)
    set -l at (__omega_sandbox_operand)
    or set at (math (count $words) + 1)
    set -l rest
    test $at -le (count $words)
    and set rest (string escape -- $words[$at..-1])
    complete -C (string join ' ' -- $rest (commandline -ct))
end

function __omega_sandbox_value -a option
    __omega_sandbox_is run learn
    and __omega_sandbox_has_operand
    and return 1
    set -l words (__omega_sandbox_words)
    test "$words[-1]" = $option
end

function __omega_sandbox_wants_value
    for option in --config --config-path --data-dir --work-dir --policy \
        --policy-file --read --write --execute --env \
        --agent --backend --net --allow-host --unix-sockets --session \
        --timeout \
        --max-output --context --jobs --merge
        __omega_sandbox_value $option
        and return 0
    end
    return 1
end

function __omega_sandbox_wants_option
    __omega_sandbox_is_first
    and return 1
    __omega_sandbox_wants_value
    and return 1
    __omega_sandbox_is run learn
    and __omega_sandbox_has_operand
    and return 1
    string match -q -- '-*' (commandline -ct)
end

function __omega_sandbox_wants_operand
    __omega_sandbox_is $argv
    and not __omega_sandbox_wants_value
    and not __omega_sandbox_wants_option
end

complete -c omega-sandbox -f
complete -c omega-sandbox -n __omega_sandbox_is_first \
    -a '(__omega_sandbox_verbs)'
complete -c omega-sandbox -n __omega_sandbox_is_first -l help -d 'print this'
complete -c omega-sandbox -n __omega_sandbox_is_first -l version
complete -c omega-sandbox -n __omega_sandbox_wants_option \
    -a '(__omega_sandbox_options)'
complete -c omega-sandbox -n '__omega_sandbox_value --policy' \
    -a '(__omega_sandbox_names policies)'
complete -c omega-sandbox -n '__omega_sandbox_value --agent' \
    -a '(__omega_sandbox_names agents)'
complete -c omega-sandbox -n '__omega_sandbox_value --backend' \
    -a '(__fish_append , (__omega_sandbox_names backends))'
complete -c omega-sandbox -n '__omega_sandbox_value --net' \
    -a 'allow unix-only deny'
complete -c omega-sandbox -n '__omega_sandbox_value --unix-sockets' \
    -a 'all own none'
complete -c omega-sandbox -n '__omega_sandbox_value --session' \
    -a 'new pty keep'
complete -c omega-sandbox -F -n '__omega_sandbox_value --config'
complete -c omega-sandbox -F -n '__omega_sandbox_value --config-path'
complete -c omega-sandbox -F -n '__omega_sandbox_value --merge'
for option in --policy-file --read --write --execute
    complete -c omega-sandbox -F -n "__omega_sandbox_value $option"
end
complete -c omega-sandbox -n '__omega_sandbox_value --env' -a '(set -nx)'
complete -c omega-sandbox -n '__omega_sandbox_value --data-dir' \
    -a '(__fish_complete_directories)'
complete -c omega-sandbox -n '__omega_sandbox_value --work-dir' \
    -a '(__fish_complete_directories)'
complete -c omega-sandbox -n '__omega_sandbox_wants_operand run learn' \
    -a '(__omega_sandbox_command)'
complete -c omega-sandbox -F -n '__omega_sandbox_wants_operand explain'
complete -c omega-sandbox -n '__omega_sandbox_wants_operand trust' \
    -a '(__fish_complete_directories)'
complete -c omega-sandbox -n '__omega_sandbox_wants_operand list
    and not __omega_sandbox_has_operand' \
    -a 'backends policies agents groups tiers'
complete -c omega-sandbox -n '__omega_sandbox_wants_operand config
    and not __omega_sandbox_has_operand' -a 'show check path'
complete -c omega-sandbox -n '__omega_sandbox_wants_operand check
    and not __omega_sandbox_has_operand' -a 'read write execute'
complete -c omega-sandbox -F -n '__omega_sandbox_wants_operand check
    and __omega_sandbox_has_operand'
