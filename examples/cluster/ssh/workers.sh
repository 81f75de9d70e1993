#!/usr/bin/env bash
# Starts, shows and stops the workers on the machines in machines.txt, over SSH.
#
#   ./workers.sh start tls://SCHEDULER:8786
#   ./workers.sh status
#   ./workers.sh stop
#
# Variables:
# MACHINES      the list of machines (machines.txt beside this script)
# CERTIFICATES  the folder that `bowerbird cluster certificates` made, on this machine (~/bowerbird-certificates)
# VENV          the virtual environment with Bowerbird on each machine, from the home folder there (bowerbird-venv)
# LOCAL_DISK    a folder on a local disk of each machine; bots are unpacked and built below it (/tmp)
#
# You need an SSH key that works without a password. The machines must run Linux.
set -euo pipefail

machines=${MACHINES:-$(dirname "$0")/machines.txt}
certificates=${CERTIFICATES:-$HOME/bowerbird-certificates}
venv=${VENV:-bowerbird-venv}
local_disk=${LOCAL_DISK:-/tmp}

# The script that runs on each machine, in sh. It uses a private folder in the home folder, named after the machine
# because several machines may share the home folder.
# shellcheck disable=SC2016
common='
umask 077
place=$HOME/.bowerbird-workers/$(uname -n)

is_up() { # whether the process of the file is still our `dask worker`: after a reboot its number may be that of another
  pid=$(cat "$place/pid" 2>/dev/null) && [ -n "$pid" ] || return 1
  words=$({ tr "\0" " " <"/proc/$pid/cmdline"; } 2>/dev/null) || return 1
  case $words in *dask\ worker\ *" $place/key.pem "*) return 0 ;; *) return 1 ;; esac
}
'

# shellcheck disable=SC2016
start_there=$common'
name=$1 address=$2 workers=$3 venv=$4 disk=$5
case $venv in /*) ;; *) venv=$HOME/$venv ;; esac
if is_up; then echo "workers are already running" >&2; exit 1; fi
[ -x "$venv/bin/dask" ] || { echo "there is no $venv/bin/dask" >&2; exit 1; }
own=$disk/bowerbird-$(id -u)
mkdir -p "$own" && [ ! -L "$own" ] && [ -O "$own" ] && chmod 700 "$own" || {
  echo "$own is not a folder of this user" >&2
  exit 1
}
cd "$place" || exit 1
XDG_CACHE_HOME=$own/cache setsid nohup "$venv/bin/dask" worker "$address" --name "$name" \
  --nworkers "$workers" --nthreads 1 --memory-limit 0 --local-directory "$own" --dashboard-address 127.0.0.1:0 \
  --tls-ca-file "$place/ca.pem" --tls-cert "$place/certificate.pem" --tls-key "$place/key.pem" \
  --death-timeout 60 >log 2>&1 </dev/null &
echo $! >pid
sleep 5
is_up || { echo "the workers ended; the end of their log:" >&2; tail -n 3 log >&2; exit 1; }
echo "$workers workers start; their log: $place/log"
'

# shellcheck disable=SC2016
status_there=$common'
if is_up; then
  echo up
elif [ -e "$place/log" ]; then
  echo "down; the end of the log:"
  tail -n 3 "$place/log"
else
  echo "not started"
fi
'

# shellcheck disable=SC2016
stop_there=$common'
cd "$place" 2>/dev/null || { echo "not started"; exit 0; }
if is_up; then
  kill "$pid"
  waited=0
  while is_up; do
    [ "$waited" -lt 60 ] || { echo "process $pid does not end" >&2; exit 1; }
    sleep 1
    waited=$((waited + 1))
  done
fi
rm -f pid key.pem
echo stopped
'

usage() {
  sed -n 's/^#   //p' "$0" >&2
  exit 2
}

there() { # HOST SCRIPT [ARGUMENT]...: runs a script on a machine with these exact arguments
  local host=$1 script=$2
  shift 2
  # shellcheck disable=SC2029 # quoted for the shell there
  ssh "$host" "sh -s -- $(printf '%q ' "$@")" <<<"$script" 2>&1 | sed "s|^|$host: |"
}

# shellcheck disable=SC2016
receive='umask 077; place=$HOME/.bowerbird-workers/$(uname -n); mkdir -p "$place" && tar -C "$place" -xf -'

start() { # HOST WORKERS ADDRESS
  # shellcheck disable=SC2029 # quoted for the shell there
  tar -C "$certificates" -cf - ca.pem certificate.pem key.pem | ssh "$1" "sh -c '$receive'"
  there "$1" "$start_there" "$1" "$3" "$2" "$venv" "$local_disk"
}

status() { # HOST
  there "$1" "$status_there"
}

stop() { # HOST
  there "$1" "$stop_there"
}

each() { # COMMAND [ARGUMENT]...: calls it for all machines at once
  local host workers pid pids=() failed=0
  while read -r host workers _; do
    case $host in '' | '#'*) continue ;; esac
    case $1 in
      start) start "$host" "$workers" "$2" & ;;
      *) "$1" "$host" & ;;
    esac
    pids+=($!)
  done <"$machines"
  for pid in "${pids[@]}"; do wait "$pid" || failed=1; done
  return "$failed"
}

case "${1:-} $#" in
  'start 2') each "$@" ;;
  'status 1' | 'stop 1') each "$@" ;;
  *) usage ;;
esac
