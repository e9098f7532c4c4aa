#!/bin/sh
# Runs etcdctl as a client of this machine's etcd member.
set -a
. "${ENVIRONMENT_FILE}"
set +a
exec "${ETCDCTL}" "$@"
