import { execute, type Call, type CallOptions, type Operation } from './execute.ts';
import type { Limit } from './limits.ts';
import { settingsOf, type ClientOptions, type Settings } from './settings.ts';
import type { Health, Ping, PingRequest } from './types.ts';

/** Options of a {@link SandboxGateway}. */
export interface SandboxGatewayOptions extends ClientOptions {
  /** A test key. Default: `SANDBOX_GATEWAY_API_KEY` of the environment. */
  readonly apiKey?: string | undefined;
  /** True: it may run in a browser, where everybody who opens the page can read the key. */
  readonly dangerouslyAllowBrowser?: boolean | undefined;
}

/** What a call came to. */
export interface Result<Data> {
  /** The body of the answer. */
  readonly data: Data;
  /** By which the portal and the platform team find the request. */
  readonly requestId: string;
  /** Yours, or the one that the call got: under it the same call is charged once. */
  readonly idempotencyKey: string;
  /** The stored answer of an earlier request under the same Idempotency-Key; this one cost nothing. */
  readonly replayed: boolean;
  /** Requests of this key in this minute; null where the answer did not tell. */
  readonly rateLimit: Limit | null;
  /** Request units of the project in this period; null where it has no quota, or the answer did not tell. */
  readonly quota: Limit | null;
}

/** A client of the sandbox gateway, for servers. */
export class SandboxGateway {
  readonly #settings: Settings;

  constructor(options: SandboxGatewayOptions = {}) {
    this.#settings = settingsOf('SandboxGateway', options);
  }

  /** Address of the gateway. */
  get baseURL(): string {
    return this.#settings.baseURL;
  }

  /**
   * Sends a ping until it is answered for good. It is charged once, whatever became of its attempts: all have one
   * Idempotency-Key. Throws a `SandboxGatewayError`; a TypeError where an argument cannot be sent.
   */
  ping(request: PingRequest = {}, options: CallOptions = {}): Call<Result<Ping>> {
    const answer = { ok: true, mode: 'sandbox', message: String, requestId: String };
    const body = ['clientRequestId', 'simulate'];
    return this.#call<Ping>({ method: 'POST', path: '/api/v1/sandbox/ping', body, answer }, request, options);
  }

  /** Asks whether the gateway answers. It counts toward no limit, and no key is looked at. */
  health(options: CallOptions = {}): Call<Result<Health>> {
    const answer = { ok: true, service: String, status: String, requestId: String };
    return this.#call<Health>({ method: 'GET', path: '/api/v1/health', body: [], answer }, {}, options);
  }

  #call<Data extends { readonly requestId: string }>(
    operation: Operation<Data>,
    request: object,
    options: CallOptions,
  ): Call<Result<Data>> {
    return execute(this.#settings, operation, request, options, ({ status: _, headers: __, ...told }) => ({
      ...told,
      requestId: told.data.requestId,
    }));
  }
}
