import { inputOf, OPERATIONS, type Credential, type InputName, type OperationName } from './requests.ts';
import { capCountOf, capPeriodOf, periodOf, type Key, type World } from './world.ts';

/** How long a replay record is served. */
const REPLAY_SECONDS = 86_400;
/** A window that is further ahead was written by a broken clock. */
const MAX_LEAD_MINUTES = 2;

const STATUSES: Readonly<Record<string, number>> = {
  MISSING_API_KEY: 401,
  INVALID_API_KEY: 401,
  API_KEY_REVOKED: 401,
  API_KEY_EXPIRED: 401,
  API_KEY_PAUSED: 403,
  INSUFFICIENT_SCOPE: 403,
  KEY_MODE_MISMATCH: 403,
  PROJECT_SUSPENDED: 403,
  RATE_LIMIT_EXCEEDED: 429,
  PAYLOAD_TOO_LARGE: 413,
  INVALID_REQUEST: 400,
  UNSUPPORTED_MEDIA_TYPE: 415,
  INVALID_IDEMPOTENCY_KEY: 400,
  IDEMPOTENCY_CONFLICT: 409,
  QUOTA_EXCEEDED: 429,
  KEY_QUOTA_EXCEEDED: 429,
  INTERNAL_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
};
const EVENTS: Readonly<Record<string, string>> = {
  RATE_LIMIT_EXCEEDED: 'rate_limit_rejected',
  QUOTA_EXCEEDED: 'quota_rejected',
  KEY_QUOTA_EXCEEDED: 'quota_rejected',
  IDEMPOTENCY_CONFLICT: 'idempotency_conflict',
};
const CHALLENGES: Readonly<Record<string, string>> = {
  MISSING_API_KEY: '',
  INVALID_API_KEY: ', error="invalid_token"',
  API_KEY_REVOKED: ', error="invalid_token"',
  API_KEY_EXPIRED: ', error="invalid_token"',
  INSUFFICIENT_SCOPE: ', error="insufficient_scope", scope="sandbox:invoke"',
};

/** One request, as received by an instance with this clock. */
export interface Ping {
  readonly nowMs: number;
  readonly as: Credential;
  readonly operation: OperationName;
  readonly key: Key;
  readonly input: InputName;
  readonly idempotencyKey: string | null;
}

/** Values that only the real gateway knows. */
export interface RealAnswer {
  readonly requestId: string;
  /** Undefined if it was no refusal. */
  readonly detail?: string | undefined;
}

/** What the client must see, with log line and metrics, without CORS and caching headers. */
export interface Outcome {
  readonly status: number;
  readonly code: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly log: { readonly event: string | null; readonly units: number };
  readonly metrics: readonly string[];
}

/** What headers say of limits instead of what is. */
interface Told {
  readonly rateLeft?: number;
  /** Units. */
  readonly used?: number;
  readonly usedOfCap?: number;
}

/** Answers a ping and changes the world. The id and the text are those of the real answer. */
export function ping(world: World, request: Ping, { requestId, detail }: RealAnswer): Outcome {
  const { nowMs, as, key } = request;
  const metrics: string[] = [];
  let originalRequestId: string | undefined;
  if (as !== 'key') return refused(as === 'missing' ? 'MISSING_API_KEY' : 'INVALID_API_KEY', null);

  const unusable = whyUnusable(key, nowMs);
  if (unusable !== undefined) return rejectedEarly(unusable);
  const counted = count(key, Math.floor(nowMs / 60_000), metrics);
  if (key.project.suspended) return rejectedEarly('PROJECT_SUSPENDED');

  const { project, window } = key;
  const period = periodOf(world, nowMs);
  const resetEpochSeconds = ((window?.minute ?? 0) + 1) * 60;
  /** Until the end of a limit; nothing for one without an end. */
  const wait = (untilEpochSeconds: number | undefined) => ({
    ...(untilEpochSeconds !== undefined && {
      'retry-after': String(Math.max(1, Math.ceil(untilEpochSeconds - nowMs / 1000))),
    }),
  });
  const capEnd = capPeriodOf(world, nowMs, key.capId).endsAtEpochSeconds;
  const cap = key.unitsLimit === undefined ? undefined : capCountOf(world, key, nowMs);
  const capLimit = cap?.limit ?? key.unitsLimit;
  if (!counted) return decided('RATE_LIMIT_EXCEEDED', wait(resetEpochSeconds));
  const input = inputOf(request.input);
  if (input.code !== undefined) return decided(input.code);

  const used = project.used.get(period.id) ?? 0;
  const { most, costOf } = OPERATIONS[request.operation];
  const name = request.idempotencyKey && `${request.operation} ${request.idempotencyKey}`;
  const earlier = name === null ? undefined : project.replays.get(name);
  if (earlier !== undefined && nowMs < earlier.expiresAtEpochSeconds * 1000) {
    originalRequestId = earlier.requestId;
    if (earlier.request !== input.means) return decided('IDEMPOTENCY_CONFLICT');
    return decided(null, { 'x-service-idempotency-replayed': 'true' }, 'idempotency_replay');
  }
  if (input.simulate !== undefined && input.simulate !== 'ANSWER_LOST') return simulated(input.simulate);
  if (project.quotaLimit !== undefined && used + most > project.quotaLimit) {
    return decided('QUOTA_EXCEEDED', wait(period.endsAtEpochSeconds));
  }
  const usedOfCap = cap?.units ?? 0;
  if (capLimit !== undefined && usedOfCap + most > capLimit) return decided('KEY_QUOTA_EXCEEDED', wait(capEnd));
  const cost = costOf(input);
  // A defect: it is not charged, and leaves no event.
  if (cost > most) {
    metrics.push('InternalErrors');
    const failure = refused('INTERNAL_ERROR', null);
    return { ...failure, headers: { ...failure.headers, ...limits('INTERNAL_ERROR') } };
  }
  if (cap) {
    cap.units += cost;
    const month = `m${new Date(nowMs).toISOString().slice(0, 7)}`;
    if (/[.][wo]$/.test(key.capId ?? '')) cap.months[month] = (cap.months[month] ?? 0) + cost;
  }
  project.used.set(period.id, used + cost);
  if (name !== null) {
    const expiresAtEpochSeconds = Math.ceil(nowMs / 1000) + REPLAY_SECONDS;
    project.replays.set(name, { request: input.means ?? '', requestId, expiresAtEpochSeconds });
  }
  if (input.simulate === undefined) return decided(null, {}, 'request_succeeded', cost);
  record(null, 'request_succeeded', cost, true);
  return failed('SERVICE_UNAVAILABLE', { event: 'request_succeeded', units: cost }, { used, usedOfCap });

  /** An authenticated and counted request has its own event, and limit headers. */
  function decided(code: string | null, more: Outcome['headers'] = {}, event = eventOf(code), units = 0): Outcome {
    record(code, event, units);
    const headers = { ...more, ...limits(code) };
    return code === null
      ? { status: 200, code, headers: typed('application/json', headers), log: { event, units }, metrics }
      : { ...refused(code, event), headers: { ...refused(code, event).headers, ...headers } };
  }

  /** What limits the units of the request, the project's first. */
  function unitLimits(told: Told = {}) {
    const units = told.used ?? project.used.get(period.id);
    const counted = [
      { name: 'quota', limit: project.quotaLimit, units, end: period.endsAtEpochSeconds },
      { name: 'key-quota', limit: capLimit, units: told.usedOfCap ?? cap?.units, end: capEnd },
    ];
    return counted.flatMap(({ name, limit, units = 0, end }) =>
      limit === undefined ? [] : [{ name, limit, left: Math.max(0, limit - units), end }],
    );
  }

  /** A refusal or a failure that was asked for: with the headers of the real one, and nothing left of its limit. */
  function simulated(code: string): Outcome {
    record(code, eventOf(code), 0, true);
    const isOfUnits = code.endsWith('QUOTA_EXCEEDED');
    const retry = isOfUnits
      ? wait(code === 'KEY_QUOTA_EXCEEDED' && cap ? capEnd : period.endsAtEpochSeconds)
      : code === 'RATE_LIMIT_EXCEEDED' && wait(resetEpochSeconds);
    const log = { event: eventOf(code), units: 0 };
    return failed(code, log, {
      ...(code === 'RATE_LIMIT_EXCEEDED' && { rateLeft: 0 }),
      ...(code === 'QUOTA_EXCEEDED' && project.quotaLimit !== undefined && { used: project.quotaLimit }),
      ...(code === 'KEY_QUOTA_EXCEEDED' && capLimit !== undefined && { usedOfCap: capLimit }),
      ...(retry && { retry }),
    });
  }

  function failed(code: string, log: Outcome['log'], told: Told & { retry?: Outcome['headers'] }): Outcome {
    const { status, headers } = refused(code, log.event);
    if (status >= 500) metrics.push('SimulatedServerErrors');
    const isAdmitted = status !== 401 && status !== 403;
    return {
      status,
      code,
      log,
      metrics,
      headers: {
        ...headers,
        'x-service-simulated': 'true',
        ...(isAdmitted && limits(code, told)),
        ...(status === 503 ? { 'retry-after': '1' } : told.retry),
      },
    };
  }

  /** What the headers say of limits, as it is now unless told. */
  function limits(code: string | null, told: Told = {}): Outcome['headers'] {
    const { rateLeft = Math.max(0, key.rpm - (window?.count ?? 0)) } = told;
    const ofUnits = unitLimits(told);
    // Of those that end: the one that refused, or the one with less left, and of two alike the project's.
    const refusing = { QUOTA_EXCEEDED: 'quota', KEY_QUOTA_EXCEEDED: 'key-quota' }[code ?? ''];
    const ending = ofUnits.filter(({ end }) => end !== undefined);
    const tight =
      ending.find(({ name }) => name === refusing) ??
      ending.reduce((one, other) => (one && one.left <= other.left ? one : other), ending[0]);
    return {
      'x-ratelimit-limit': String(key.rpm),
      'x-ratelimit-remaining': String(rateLeft),
      'x-ratelimit-reset': String(resetEpochSeconds),
      ...(tight && {
        'x-service-quota-limit': String(tight.limit),
        'x-service-quota-remaining': String(tight.left),
        'x-service-quota-reset': String(tight.end),
        'x-service-quota-metric': 'request_units',
      }),
      ...(code !== 'SERVICE_UNAVAILABLE' && draftFields(code, rateLeft, ofUnits)),
    };
  }

  /** The draft's two fields. A refusal by a limit names only that limit. */
  function draftFields(
    code: string | null,
    rateLeft: number,
    limits: ReturnType<typeof unitLimits>,
  ): Outcome['headers'] {
    const seconds = (end: number) => Math.ceil(end - nowMs / 1000);
    const rate = [`"minute";q=${key.rpm};w=60`, `"minute";r=${rateLeft};t=${seconds(resetEpochSeconds)}`];
    const quotas = limits.map(({ name, limit, left, end }) => ({
      refuses: name === 'quota' ? 'QUOTA_EXCEEDED' : 'KEY_QUOTA_EXCEEDED',
      said: [`"${name}";q=${limit}`, `"${name}";r=${left}${end === undefined ? '' : `;t=${seconds(end)}`}`],
    }));
    const isOfUnits = code?.endsWith('QUOTA_EXCEEDED') === true;
    const reported = quotas.filter(({ refuses }) => (isOfUnits ? refuses === code : code !== 'RATE_LIMIT_EXCEEDED'));
    const named = [...(isOfUnits ? [] : [rate]), ...reported.map(({ said }) => said)];
    if (named.length === 0) return {};
    const [policies, left] = [0, 1].map((i) => named.map((field) => field[i]).join(', '));
    return { 'ratelimit-policy': policies ?? '', ratelimit: left ?? '' };
  }

  /** A request that is not authenticated, or suspended, leaves at most one event per key, code and minute. */
  function rejectedEarly(code: string): Outcome {
    const minute = Math.floor(nowMs / 60_000);
    const isKnown = key.project.events.some(
      (event) =>
        event.keyId === key.keyId &&
        event.code === code &&
        !event.simulated &&
        Math.floor(event.occurredAtMs / 60_000) === minute,
    );
    if (!isKnown) record(code, 'request_rejected', 0);
    return refused(code, 'request_rejected');
  }

  function record(code: string | null, event: string, units: number, simulated = false): void {
    const status = code === null ? 200 : (STATUSES[code] ?? 0);
    const { code: wrong, clientRequestId = null, headers } = inputOf(request.input);
    const { name: operation, tokensOf } = OPERATIONS[request.operation];
    key.project.events.push({
      requestId,
      keyId: key.keyId,
      operation,
      tokens: units > 0 ? tokensOf(units) : null,
      event,
      status,
      code,
      units,
      ...(units > 0 && cap && (key.capId?.includes('.') ? { cap: key.capId } : { capId: key.capId ?? '' })),
      period: periodOf(world, nowMs).id,
      occurredAtMs: nowMs,
      clientRequestId: wrong === undefined ? clientRequestId : null,
      idempotencyKey: headers?.['idempotency-key'] ?? request.idempotencyKey,
      ...(originalRequestId !== undefined && { originalRequestId }),
      // Of a success whose answer is lost only the answer has one.
      ...(detail !== undefined && code !== null && { detail: kept(detail) }),
      ...(simulated && { simulated }),
    });
  }

  function refused(code: string, event: string | null): Outcome {
    const challenge = CHALLENGES[code];
    const status = STATUSES[code] ?? 0;
    const headers = {
      link: `<https://portal.example.com/docs/errors#${code}>; rel="help"`,
      'x-should-retry': String(status >= 500 || code === 'RATE_LIMIT_EXCEEDED'),
      ...(challenge !== undefined && { 'www-authenticate': `Bearer realm="sandbox-gateway"${challenge}` }),
    };
    return { status, code, headers: typed('application/problem+json', headers), log: { event, units: 0 }, metrics };
  }
}

/** As events keep it. */
const kept = (detail: string): string => (detail.length > 200 ? `${detail.slice(0, 199)}…` : detail);

const typed = (mediaType: string, headers: Outcome['headers']) => ({ 'content-type': mediaType, ...headers });
const eventOf = (code: string | null): string => EVENTS[code ?? ''] ?? 'request_rejected';

function whyUnusable(key: Key, nowMs: number): string | undefined {
  if (key.revoked) return 'API_KEY_REVOKED';
  if (key.expiresAtMs !== undefined && nowMs >= key.expiresAtMs) return 'API_KEY_EXPIRED';
  if (key.paused) return 'API_KEY_PAUSED';
  if (!key.scoped) return 'INSUFFICIENT_SCOPE';
  if (key.mode !== 'test') return 'KEY_MODE_MISMATCH';
  return undefined;
}

/** Counts a request in the key's window. Returns whether it was below the limit. A window never moves backwards. */
function count(key: Key, minute: number, metrics: string[]): boolean {
  const isBroken = key.window !== undefined && key.window.minute > minute + MAX_LEAD_MINUTES;
  if (isBroken) metrics.push('RateWindowAheadOfClock');
  if (key.window === undefined || key.window.minute < minute || isBroken) key.window = { minute, count: 0 };
  if (key.window.count >= key.rpm) return false;
  key.window.count++;
  return true;
}
