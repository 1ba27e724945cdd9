/** A sign-in that failed because of something that a person or a browser can cause alone: no call of ours failed. */
export class SignInRefusedError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    // Set here, because the bundle shortens the names of classes.
    this.name = 'SignInRefusedError';
  }
}

/** The provider refused the portal itself, or was unavailable. */
class ProviderError extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'ProviderError';
  }
}

/** The codes that are logged. Any other text may come from the caller (RFC 6749, sections 4.1.2.1 and 5.2). */
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
/** The answers to an invented or used code. */
const OF_THE_CODE: ReadonlySet<string> = new Set(['invalid_grant', 'invalid_request']);
const UNAUTHORIZED = 401;

/** The parts of an error of `openid-client` that are used. */
interface LibraryError {
  /** In an error response: its code. */
  readonly error?: unknown;
  /** The HTTP status, if the provider answered. */
  readonly status?: unknown;
  readonly cause?: {
    /** Why a token was refused: the wrong claim, all claims, or the answer without a token. */
    readonly cause?: {
      readonly claim?: unknown;
      readonly claims?: { readonly nonce?: unknown };
      readonly body?: { readonly access_token?: unknown; readonly id_token?: unknown };
    };
  };
}
const asLibraryError = (cause: unknown): LibraryError => (cause instanceof Error ? (cause as LibraryError) : {});

/** Whether the provider refused the portal as its client (RFC 6749, section 5.2). */
export function isClientRefused(cause: unknown): boolean {
  const { error, status } = asLibraryError(cause);
  return error === 'invalid_client' || status === UNAUTHORIZED;
}

/** The error of a callback that is refused before any request to the provider. */
export const refusedCallback = (cause: unknown): SignInRefusedError =>
  new SignInRefusedError(`the browser came back with ${codeOf(cause) ?? 'no answer of the provider'}`, cause);

/** The error of a failed exchange of a code for tokens. It shows who caused it. */
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

/** The code of an error response; undefined for any other failure. */
function codeOf(cause: unknown): string | undefined {
  const { error } = asLibraryError(cause);
  if (error === undefined) return undefined;
  return OAUTH_CODES.has(error) ? (error as string) : 'an error that no standard has';
}

/**
 * Whether tokens belong to another request than the portal's. A person can make their own request with the portal's
 * client id, which is public, and another nonce or scope.
 */
function isOfAnotherRequest(cause: unknown): boolean {
  const { claim, claims, body } = asLibraryError(cause).cause?.cause ?? {};
  const lacksNonce = claims !== undefined && claims.nonce === undefined;
  const lacksIdToken = body?.access_token !== undefined && body.id_token === undefined;
  return claim === 'nonce' || lacksNonce || lacksIdToken;
}
