#!/usr/bin/env bash
# Sends a ping that is safe to repeat, and shows what is left of the limits.
#
#   API_KEY=svc_test_… examples/ping.sh '{"clientRequestId":"order-7"}'
#
# BASE_URL         the gateway, http://127.0.0.1:3000 if not set
# TIMEOUT_SECONDS  how long to wait for one answer
set -euo pipefail

: "${API_KEY:?Set API_KEY to a test key}"
url="${BASE_URL:-http://127.0.0.1:3000}/api/v1/sandbox/ping"
empty='{}'
ping="${1:-$empty}"
readonly MAX_ATTEMPTS=5
# Longer than any wait for the next minute. A used-up quota asks for days: then it is better to stop.
readonly MAX_WAIT_SECONDS=180

# One key for every attempt: whatever became of an earlier one, the ping is charged once.
idempotency_key="$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')"

answer="$(mktemp -d)"
trap 'rm -rf "$answer"' EXIT

# The status, or 000 when no answer came. The key comes through a pipe: `ps` shows the arguments of every command.
send() {
  curl --silent --show-error --max-time "${TIMEOUT_SECONDS:-10}" \
    --header @<(printf 'Authorization: Bearer %s\n' "$API_KEY") \
    --header 'Content-Type: application/json' \
    --header "Idempotency-Key: $idempotency_key" \
    --data-raw "$ping" --dump-header "$answer/headers" --output "$answer/body" --write-out '%{http_code}' "$url"
}

# The value of a header of the answer; empty when there is none.
header() { tr -d '\r' <"$answer/headers" | awk -v name="$1:" 'tolower($1) == tolower(name) { print $2 }'; }

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
  wait="$(header Retry-After | tr -cd 0-9)"
  if ((attempt == MAX_ATTEMPTS || ${wait:-0} > MAX_WAIT_SECONDS)); then break; fi
  echo "Attempt $attempt: ${status/000/no answer}, trying again" >&2
  sleep "${wait:-0}"
  sleep "$(jitter "$attempt")"
done

cat "$answer/body"
echo
if [[ -n "$(header X-RateLimit-Limit)" ]]; then
  echo "Rate: $(header X-RateLimit-Remaining) of $(header X-RateLimit-Limit) requests left in this minute"
fi
if [[ -n "$(header X-Service-Quota-Limit)" ]]; then
  echo "Quota: $(header X-Service-Quota-Remaining) of $(header X-Service-Quota-Limit) $(header X-Service-Quota-Metric) left"
fi
[[ "$status" == 200 ]]
