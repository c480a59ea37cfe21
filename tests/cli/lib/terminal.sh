# terminal.sh - sourced after tests/cli/lib.sh by the scripts that need a terminal: tmux.
#
#	open_shell ROWS COLS     a shell in a terminal of that size; it says "ready>". $as before sh
#	keys KEYS...             typed, as tmux send-keys takes them
#	line TEXT                typed, and Enter
#	screen                   what is on it
#	saw RE...                waits until each is on the screen; 1 after a while without
#	see NAME RE...           a fact: the screen comes to show them
#	size ROWS COLS           of the window
#	is_sane                  the terminal's settings are as they were, the alternate screen is left
#	is_mended                it echoes and takes lines, the alternate screen is left
need_tool tmux stty
as=${as:-}

# A server of its own for each shell: the last one may still be ending.
mux_count=0
mux() {
	tmux -L "ssdqual-test-$$-$mux_count" -f /dev/null "$@" 2>/dev/null
}
at_exit 'mux kill-server'

open_shell() {
	mux kill-server
	mux_count=$((mux_count + 1))
	env -u TMUX tmux -L "ssdqual-test-$$-$mux_count" -f /dev/null new-session -d -x "$2" -y "$1" \
		"env PS1='ready> ' HOME='$HOME' XDG_DATA_HOME='$XDG_DATA_HOME' \
		XDG_STATE_HOME='$XDG_STATE_HOME' $as sh" 2>/dev/null
	saw 'ready>' || skip_all "tmux does not start here"
	line 'as_it_was=$(stty -g); clear'
}

screen() {
	mux capture-pane -p
}

saw() {
	for saw_re in "$@"; do
		saw_end=$(($(date +%s) + 40))
		until screen | grep -qE -e "$saw_re"; do
			[ "$(date +%s)" -lt "$saw_end" ] || return 1
			sleep 0.05
		done
	done
}

keys() {
	mux send-keys "$@"
}

line() {
	keys -l "$1"
	keys Enter
}

size() {
	mux resize-window -x "$2" -y "$1"
}

see() {
	see_name=$1
	shift
	if saw "$@"; then ok "$see_name"; else not_ok "$see_name" "wanted: $*
$(screen)"; fi
}

is_sane() {
	line '[ "$(stty -g)" = "$as_it_was" ] && echo terminal "sane"'
	saw '^terminal sane' && [ "$(mux display-message -p '#{alternate_on}')" = 0 ]
}

# What `stty sane` gives need not be what was there before.
is_mended() {
	line "stty -a | tr ' ' '\\n' | grep -cxE 'icanon|echo|icrnl|opost|isig' | sed 's/^/mended=/'"
	saw '^mended=5' && [ "$(mux display-message -p '#{alternate_on}')" = 0 ]
}
