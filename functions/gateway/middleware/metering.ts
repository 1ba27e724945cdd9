import { METRICS, type SourceAddresses } from '../../shared/names.ts';
import { errorDefinition, GatewayError, quotaRefusal } from '../../shared/http/errors.ts';
import { capNamed, ownPeriodOf } from '../../shared/request/cap-period.ts';
import type { Charge, RequestStore } from '../../shared/request/request-store.ts';
import { exceedsQuota, exhaustedLimit, unitsUsed, type ExhaustedLimit } from '../../shared/request/quota-shards.ts';
import {
  admittedRequest,
  validInput,
  type Executed,
  type GatewayMiddleware,
  type HttpResponse,
  type RequestState,
  type Caller,
} from './request-state.ts';
import type { Telemetry } from './request-context.ts';
import { beginsCredential, decoded } from '../../shared/credentials/credential-text.ts';
import { isoTime, type Clock, periodAt, type QuotaPeriod } from '../../shared/time.ts';
import { mostOf, type Operation } from '../../shared/request/operation.ts';
import type { UsageEvent } from '../../shared/request/usage-event.ts';

/** The refusal by each limit, and who has too few units left. */
const EXCEEDED = {
  project: { code: 'QUOTA_EXCEEDED', who: 'The project' },
  key: { code: 'KEY_QUOTA_EXCEEDED', who: 'This API key' },
} as const;

export interface MeteringDependencies extends UsageDependencies {
  readonly store: Pick<RequestStore, 'charge' | 'appendEvent' | 'appendEventOncePerMinute'>;
  readonly telemetry: Pick<Telemetry, 'warn' | 'count'>;
}

type Reads = EventPart | 'caller' | 'deadline' | 'beforeCharge' | 'simulated' | 'executed';
type Fills = 'admitted' | 'duplicate' | 'event' | 'units' | 'uncharged';
type State = Readonly<Pick<RequestState, Reads>> & Pick<RequestState, Fills>;
/** The state when the handler has run. */
type Done = State & { readonly executed: Executed };

/**
 * Enforces the quota, and writes the result of the request to the store: a success with its charge and its replay
 * record in one transaction, a refusal as an event of 0 units.
 *
 * @example
 *   middyChain(handler).use(metering({ operation: ping, quotaPeriod: 'month', clock, store, telemetry }));
 */
export function metering(dependencies: MeteringDependencies): GatewayMiddleware<Reads, Fills> {
  return {
    before: ({ context: { state } }) => {
      const { snapshot } = admittedRequest(state);
      const by = exhaustedLimit(snapshot, mostOf(dependencies.operation.units));
      if (by) throw exceeded(by, state);
    },
    after: async ({ context: { state }, response }) => {
      await settle(dependencies, state as Done, response ?? {});
    },
    // Runs for a refusal by any middleware of the chain, also one before this.
    onError: async ({ context: { state }, error }) => {
      if (error instanceof GatewayError) await recordRefusal(dependencies, state, error);
    },
  };
}

/** Charges a success. It throws the refusal of a limit that was used up since it was read. */
async function settle(dependencies: MeteringDependencies, state: Done, response: HttpResponse): Promise<void> {
  const admitted = admittedRequest(state);
  const { snapshot } = admitted;
  const charge = chargeOf(dependencies, state, response);
  const { event } = charge;
  const { store, telemetry, operation } = dependencies;
  const settlement = await store.charge(charge, state.deadline);
  switch (settlement.outcome) {
    case 'settled':
      admitted.quotaUsed += event.units;
      admitted.capUsed += event.units;
      state.event = event.event;
      state.units = event.units;
      return;
    case 'duplicate': {
      // The `after` of the idempotency middleware, which follows, replays it. Its units were charged meanwhile: by a
      // version that kept none, at most those of the operation.
      const { units = mostOf(operation.units), cap, capId } = settlement.record;
      const id = snapshot.cap?.id;
      admitted.quotaUsed += units;
      if (id && (ownPeriodOf(id) ? cap : capId) === id) admitted.capUsed += units;
      state.duplicate = settlement.record;
      return;
    }
    case 'exhausted': {
      const { by, quota } = settlement;
      // The limit may have changed since the request read it. The answer names the limit that refused it.
      state.admitted = {
        ...admitted,
        snapshot: { ...snapshot, ...quota },
        quotaUsed: unitsUsed(quota.counter),
        capUsed: quota.cap?.units ?? 0,
      };
      state.uncharged = state.executed;
      telemetry.count(METRICS.workUncharged);
      throw exceeded(by, state);
    }
  }
}

/** What the settlement of a success writes. */
function chargeOf(dependencies: UsageDependencies, state: Done, { statusCode: status = 200, body = '' }: HttpResponse) {
  const { caller, period, snapshot } = admittedRequest(state);
  const { quotaLimit, shards, counter, cap } = snapshot;
  const { replayKey } = validInput(state);
  const { idempotencyTag, executed } = state;
  const success = { event: 'request_succeeded', status, code: null, executed } as const;
  const outcome = state.beforeCharge ? { ...success, simulated: true as const } : success;
  const charge: Charge = {
    event: decidedEvent(dependencies, { ...state, caller }, outcome),
    period,
    quotaLimit,
    shards,
    counter,
    ...(cap && { cap }),
    receivedAtMs: state.receivedAtMs,
  };
  if (!replayKey) return charge;
  const record = {
    fingerprint: replayKey.fingerprint,
    status,
    body,
    units: executed.units,
    ...(cap && capNamed(cap.id)),
    ...(idempotencyTag && { idempotencyTag }),
  };
  return { ...charge, replay: { id: replayKey.id, record } };
}

async function recordRefusal(dependencies: MeteringDependencies, state: State, error: GatewayError): Promise<void> {
  const { store, telemetry } = dependencies;
  const { event, status } = errorDefinition(error.code);
  const { caller, simulated } = state;
  const name = event ?? (simulated ? 'request_rejected' : null);
  // A charged request already has its event: this is `ANSWER_LOST`.
  if (name === null || caller === undefined || state.event !== null) return;
  try {
    const outcome = { event: name, status, code: error.code, detail: error.detail, simulated };
    const decided = decidedEvent(dependencies, { ...state, caller }, outcome);
    // The rate limit does not count refusals before admission, so only one event per minute is kept. A simulated one
    // was counted.
    if (state.admitted || simulated) await store.appendEvent(decided, state.deadline);
    else await store.appendEventOncePerMinute(decided, state.deadline);
    state.event = name;
  } catch (cause) {
    telemetry.count(METRICS.usageEventLost);
    telemetry.warn('A refusal was answered without its usage event.', state.requestId, cause);
  }
}

function exceeded(by: ExhaustedLimit, state: Pick<RequestState, 'admitted' | 'receivedAtMs'>): GatewayError {
  const { period, snapshot, quotaUsed, capUsed } = admittedRequest(state);
  const { code, who } = EXCEEDED[by];
  const [limit, used] = by === 'project' ? [snapshot.quotaLimit, quotaUsed] : [snapshot.cap?.limit, capUsed];
  // The catalogue's text where none is left.
  const detail = exceedsQuota(limit, used, 1)
    ? undefined
    : `${who} has fewer request units left in this period than this operation needs.`;
  const span = by === 'key' && snapshot.cap ? snapshot.cap.span : period;
  return new GatewayError(code, quotaRefusal(code, span, state.receivedAtMs, detail));
}

/** What an event says beside the state of its request. */
export interface UsageDependencies {
  readonly operation: Operation;
  readonly quotaPeriod: QuotaPeriod;
  /** The form in which events keep the addresses of callers; absent: none. */
  readonly sourceAddresses?: SourceAddresses | undefined;
  readonly clock: Clock;
}

/** The parts of a request's state that its event is made of. */
export type EventPart = 'requestId' | 'receivedAtMs' | 'sender' | 'input' | 'originalRequestId' | 'idempotencyTag';

/** What was decided. */
interface Outcome extends Pick<UsageEvent, 'event' | 'status' | 'code'> {
  /** Of a success. */
  readonly executed?: Executed;
  readonly detail?: string | undefined;
  readonly simulated?: true | undefined;
}

/** The longest `detail` that an event keeps. */
const MAX_DETAIL_CHARACTERS = 200;

/**
 * The usage event of a request that has just been decided. Time, latency and period are fixed here, before the first
 * attempt to write it. So a repeated attempt is the same write.
 */
export function decidedEvent(
  { operation, quotaPeriod, clock, sourceAddresses = 'none' }: UsageDependencies,
  state: Pick<RequestState, EventPart> & { readonly caller: Caller },
  { event, status, code, executed, detail, simulated }: Outcome,
): UsageEvent {
  const { requestId, receivedAtMs, caller, input, originalRequestId = null, idempotencyTag = null, sender } = state;
  const clientRequestId = input === undefined || input instanceof Error ? null : (input.input.clientRequestId ?? null);
  const { units, tokens } = executed ?? { units: 0 };
  return {
    requestId,
    ...caller,
    event,
    operation: operation.name,
    status,
    code,
    units,
    period: periodAt(receivedAtMs, quotaPeriod).id,
    // The wall clock may be set back between the two readings.
    latencyMs: Math.max(0, clock.now() - receivedAtMs),
    inputTokens: tokens?.input ?? null,
    outputTokens: tokens?.output ?? null,
    totalTokens: tokens ? tokens.input + tokens.output : null,
    clientRequestId,
    occurredAt: isoTime(receivedAtMs),
    originalRequestId,
    detail: detail === undefined ? null : cut(detail),
    userAgent: keptUserAgent(sender.userAgent, clientRequestId),
    sourceAddress: keptSourceAddress(sender.address, sourceAddresses),
    idempotencyTag,
    ...(simulated && { simulated }),
  };
}

const cut = (text: string): string =>
  text.length > MAX_DETAIL_CHARACTERS ? `${text.slice(0, MAX_DETAIL_CHARACTERS - 1)}…` : text;

const MAX_USER_AGENT_CHARACTERS = 60;
/**
 * The bytes for `userAgent` and `clientRequestId` together. The longest charged event has 498 others, so it fits into
 * 1,024: one write unit.
 */
const SHARED_BYTES = 526;
const NOT_PRINTABLE = /[^\x20-\x7E]/g;

/**
 * The user agent of a request, as an event keeps it. One that holds what begins a credential, however encoded, is not
 * kept: of a credential that is cut or broken, the rest is often enough to complete it.
 */
export function keptUserAgent(header: string | undefined, clientRequestId: string | null): string | null {
  if (header === undefined || beginsCredential(decoded(header))) return null;
  const room = SHARED_BYTES - Buffer.byteLength(clientRequestId ?? '');
  const text = header.replace(NOT_PRINTABLE, '?').trim();
  return text.slice(0, Math.min(MAX_USER_AGENT_CHARACTERS, room)) || null;
}

/** The network part of an address: 24 bits of IPv4, 48 of IPv6. */
const IPV4 = /^(\d{1,3}\.\d{1,3}\.\d{1,3})\.\d{1,3}$/;
const IPV6 = /^[0-9a-f:]{2,39}$/i;
const IPV6_GROUPS = 8;
const KEPT_GROUPS = 3;

/** The address of a caller, as an event keeps it. Null: the stage keeps none, or it has an unknown form. */
export function keptSourceAddress(address: string | undefined, form: SourceAddresses): string | null {
  if (form === 'none' || address === undefined) return null;
  const ipv4 = IPV4.exec(address)?.[1];
  if (ipv4 !== undefined) return form === 'full' ? address : `${ipv4}.0`;
  if (!IPV6.test(address)) return null;
  return form === 'full' ? address : `${networkOf(address)}::`;
}

/** The first groups of an IPv6 address, also where `::` stands for some of them. */
function networkOf(address: string): string {
  const [before = '', after] = address.split('::', 2);
  const groups = before.split(':').filter(Boolean);
  const others = after?.split(':').filter(Boolean) ?? [];
  const zeros = Math.max(0, IPV6_GROUPS - groups.length - others.length);
  const all = [...groups, ...Array.from({ length: zeros }, () => '0'), ...others];
  return all.slice(0, KEPT_GROUPS).join(':');
}
