#!/usr/bin/env bash
# Starts, shows and ends the workers on the machines of machines.txt, over SSH.
#
#   ./workers.sh start tls://SCHEDULER:8786 CERTIFICATES
#   ./workers.sh status
#   ./workers.sh stop
#
# Variables: MACHINES, the list of machines (machines.txt); VENV, the folder of the virtual environment with Bowerbird on
# each machine, from the home folder there (bowerbird). You need a key that logs in without a password.
set -euo pipefail

machines=${MACHINES:-$(dirname "$0")/machines.txt}
venv=${VENV:-bowerbird}
place=.bowerbird-workers # in the home folder of each machine, readable for its user alone

usage() {
  sed -n 's/^#   //p' "$0" >&2
  exit 2
}

start() { # HOST WORKERS ADDRESS CERTIFICATES
  # shellcheck disable=SC2029 # the folder is named here
  tar -C "$4" -cf - ca.pem certificate.pem key.pem |
    ssh "$1" "umask 077 && mkdir -p $place && tar -C $place -xf -"
  ssh -n "$1" "cd $place || exit 1
    if [ -e pid ] && kill -0 \$(cat pid) 2>/dev/null; then echo '$1: workers run already' >&2; exit 1; fi
    umask 077
    setsid nohup ../$venv/bin/dask worker '$3' --nworkers '$2' --nthreads 1 --memory-limit 0 \
      --name '$1' --local-directory . --dashboard-address 127.0.0.1:0 --death-timeout 60 \
      --tls-ca-file ca.pem --tls-cert certificate.pem --tls-key key.pem >log 2>&1 </dev/null &
    echo \$! >pid"
  echo "$1: $2 workers start; their log: $place/log"
}

status() { # HOST
  ssh -n "$1" "cd $place 2>/dev/null && if [ -e pid ] && kill -0 \$(cat pid) 2>/dev/null; then echo '$1: up'; else
    echo '$1: down; the end of its log:'; tail -n 3 log; fi" || echo "$1: not started, or not reached"
}

stop() { # HOST
  ssh -n "$1" "cd $place && kill \$(cat pid) && while kill -0 \$(cat pid) 2>/dev/null; do sleep 1; done; rm -f pid key.pem"
  echo "$1: stopped"
}

each() { # COMMAND [ARGUMENT]...: calls it for each machine, all at once
  local host workers pid pids=() failed=0
  while read -r host workers _; do
    case $host in '' | '#'*) continue ;; esac
    case $1 in
      start) start "$host" "$workers" "$2" "$3" & ;;
      *) "$1" "$host" & ;;
    esac
    pids+=($!)
  done <"$machines"
  for pid in "${pids[@]}"; do wait "$pid" || failed=1; done
  return "$failed"
}

case "${1:-} $#" in
  'start 3' | 'status 1' | 'stop 1') each "$@" ;;
  *) usage ;;
esac
