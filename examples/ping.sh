#!/usr/bin/env bash
# Sends a ping that is safe to repeat, and shows what is left of the limits.
#
#   read -rs SANDBOX_GATEWAY_API_KEY; export SANDBOX_GATEWAY_API_KEY    # paste a test key, press Enter
#   examples/ping.sh '{"clientRequestId":"order-7"}'
#
# SANDBOX_GATEWAY_BASE_URL  the gateway, http://127.0.0.1:3000 if not set
# TIMEOUT_SECONDS           how long to wait for one answer
set -euo pipefail

: "${SANDBOX_GATEWAY_API_KEY:?Set SANDBOX_GATEWAY_API_KEY to a test key}"
base="${SANDBOX_GATEWAY_BASE_URL:-http://127.0.0.1:3000}"
readonly THIS_MACHINE='^http://(localhost|127\.0\.0\.1|\[::1\])(:[0-9]+)?(/|$)'
if [[ $base != https://* && ! $base =~ $THIS_MACHINE ]]; then
  echo 'SANDBOX_GATEWAY_BASE_URL must begin with https://, so that nobody on the way reads the key.' >&2
  exit 2
fi
url="${base%/}/api/v1/sandbox/ping"
empty='{}'
ping="${1:-$empty}"
readonly MAX_ATTEMPTS=3
# The next minute begins sooner. A used-up quota asks for days: then it is better to stop.
readonly MAX_WAIT_SECONDS=60
# In kilobytes; no answer of the gateway has one.
readonly MAX_ANSWER=1000

# One key for every attempt: whatever became of an earlier one, the ping is charged once.
idempotency_key="$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')"

answer="$(mktemp -d)"
trap 'rm -rf "$answer"' EXIT

# The status, or 000 when no answer came. The key comes through a pipe: `ps` shows the arguments of every command. A
# proxy would read a key that is sent to this machine in clear text.
send() (
  ulimit -f "$MAX_ANSWER"
  curl --silent --show-error --globoff --max-time "${TIMEOUT_SECONDS:-10}" --noproxy 'localhost,127.0.0.1,::1' \
    --header @<(printf 'Authorization: Bearer %s\n' "$SANDBOX_GATEWAY_API_KEY") \
    --header 'Content-Type: application/json' \
    --header "Idempotency-Key: $idempotency_key" \
    --data-raw "$ping" --dump-header "$answer/headers" --output "$answer/body" --write-out '%{http_code}' "$url"
)

# Without what a terminal would obey.
visible() { LC_ALL=C tr -d '\000-\010\013-\037\177' | LC_ALL=C sed $'s/\xc2[\x80-\x9f]//g'; }

# The value of a header of the answer; empty when there is none.
header() { awk -v name="$1:" 'tolower($1) == tolower(name) { print $2; exit }' "$answer/headers" | visible; }

# A random time below 0.5 s, 1 s, 2 s …, so that clients that failed together do not come back together.
jitter() {
  local milliseconds=$((RANDOM % (250 << $1)))
  printf '%d.%03d' $((milliseconds / 1000)) $((milliseconds % 1000))
}

for ((attempt = 1; ; attempt++)); do
  : >"$answer/headers" >"$answer/body"
  status="$(send)" || status=000
  case "$status" in
    000 | 429 | 5??) ;;
    *) break ;;
  esac
  wait="$(header Retry-After)"
  # A date, or what is no number, is no time to wait. A number that is too long for the shell is too long to wait.
  if [[ ! $wait =~ ^[0-9]+$ ]]; then wait=0; fi
  if ((attempt == MAX_ATTEMPTS || ${#wait} > 3 || 10#$wait > MAX_WAIT_SECONDS)); then break; fi
  echo "Attempt $attempt: ${status/000/no answer}, trying again" >&2
  sleep "$wait"
  sleep "$(jitter "$attempt")"
done

body="$(visible <"$answer/body")"
printf '%s\n' "${body//"$SANDBOX_GATEWAY_API_KEY"/[API key]}"
if [[ -n "$(header X-RateLimit-Limit)" ]]; then
  echo "Rate: $(header X-RateLimit-Remaining) of $(header X-RateLimit-Limit) requests left in this minute"
fi
if [[ -n "$(header X-Service-Quota-Limit)" ]]; then
  echo "Quota: $(header X-Service-Quota-Remaining) of $(header X-Service-Quota-Limit) $(header X-Service-Quota-Metric) left"
fi
[[ "$status" == 200 ]]
