/** A sign-in that came to nothing by what a person or a browser can bring about alone: no call of ours failed. */
export class SignInRefusedError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    // Said here, since the bundle shortens the names of classes.
    this.name = 'SignInRefusedError';
  }
}

/** The provider refused the portal itself, or could not serve it. */
class ProviderError extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'ProviderError';
  }
}

/** The codes that are logged: any other text may be of whoever made the request (RFC 6749, sections 4.1.2.1 and 5.2). */
const OAUTH_CODES: ReadonlySet<unknown> = new Set([
  'access_denied',
  'invalid_client',
  'invalid_grant',
  'invalid_request',
  'invalid_scope',
  'server_error',
  'temporarily_unavailable',
  'unauthorized_client',
  'unsupported_grant_type',
  'unsupported_response_type',
]);
/** What a made-up or used code is answered with. */
const OF_THE_CODE: ReadonlySet<string> = new Set(['invalid_grant', 'invalid_request']);
const UNAUTHORIZED = 401;

/** An error of `openid-client`, as far as it is looked at. */
interface LibraryError {
  /** In an answer that tells of an error: its code. */
  readonly error?: unknown;
  /** Of HTTP, where the provider answered so. */
  readonly status?: unknown;
  readonly cause?: {
    /** Why a token was not taken: the claim or all claims that it looked at, or the answer that has no token. */
    readonly cause?: {
      readonly claim?: unknown;
      readonly claims?: { readonly nonce?: unknown };
      readonly body?: { readonly access_token?: unknown; readonly id_token?: unknown };
    };
  };
}
const asLibraryError = (cause: unknown): LibraryError => (cause instanceof Error ? (cause as LibraryError) : {});

/** Whether the provider did not take the portal for its client (RFC 6749, section 5.2). */
export function isClientRefused(cause: unknown): boolean {
  const { error, status } = asLibraryError(cause);
  return error === 'invalid_client' || status === UNAUTHORIZED;
}

/** Why the provider's answer in a callback was not taken, before anything was asked of the provider. */
export const refusedCallback = (cause: unknown): SignInRefusedError =>
  new SignInRefusedError(`the browser came back with ${codeOf(cause) ?? 'no answer of the provider'}`, cause);

/** Why the exchange of a code for tokens failed: an error that says whose doing it was. */
export function failedExchange(cause: unknown): unknown {
  const code = isClientRefused(cause) ? 'invalid_client' : codeOf(cause);
  if (code !== undefined) {
    const message = `the token endpoint answered ${String(asLibraryError(cause).status)} ${code}`;
    return OF_THE_CODE.has(code) ? new SignInRefusedError(message, cause) : new ProviderError(message, cause);
  }
  return isOfAnotherRequest(cause)
    ? new SignInRefusedError('the tokens are those of another authorization request', cause)
    : cause;
}

/** The code of an answer that tells of an error; undefined for any other failure. */
function codeOf(cause: unknown): string | undefined {
  const { error } = asLibraryError(cause);
  if (error === undefined) return undefined;
  return OAUTH_CODES.has(error) ? (error as string) : 'an error that no standard has';
}

/**
 * Whether tokens lack what the portal asked for. A person can have the provider answer a request of their own with the
 * portal's client id, which is public, and another nonce or scope.
 */
function isOfAnotherRequest(cause: unknown): boolean {
  const { claim, claims, body } = asLibraryError(cause).cause?.cause ?? {};
  const lacksNonce = claims !== undefined && claims.nonce === undefined;
  const lacksIdToken = body?.access_token !== undefined && body.id_token === undefined;
  return claim === 'nonce' || lacksNonce || lacksIdToken;
}
