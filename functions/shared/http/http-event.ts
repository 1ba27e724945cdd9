/** The parts of an HTTP API's event (payload 2.0) that the functions read. */
export interface KnownEvent {
  readonly version: '2.0';
  readonly routeKey: string;
  readonly rawPath: string;
  readonly rawQueryString: string;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies: readonly string[];
  readonly body?: string;
  readonly isBase64Encoded: boolean;
  readonly requestContext: {
    readonly requestId: string;
    readonly http: { readonly method: string; readonly sourceIp: string };
  };
}

/** Any input as an event: every part is present and of its type. What is missing or of another type is empty. */
export function knownEvent(event: unknown): KnownEvent {
  const { routeKey, rawPath, rawQueryString, headers, cookies, body, isBase64Encoded, requestContext } =
    objectOf(event);
  const { requestId, http } = objectOf(requestContext);
  const { method, sourceIp } = objectOf(http);
  return {
    version: '2.0',
    routeKey: textOf(routeKey),
    rawPath: textOf(rawPath),
    rawQueryString: textOf(rawQueryString),
    headers: Object.fromEntries(
      Object.entries(objectOf(headers)).flatMap(([name, value]) =>
        typeof value === 'string' ? [[name.toLowerCase(), value]] : [],
      ),
    ),
    cookies: Array.isArray(cookies) ? cookies.map(textOf) : [],
    ...(typeof body === 'string' && { body }),
    isBase64Encoded: isBase64Encoded === true,
    requestContext: {
      requestId: textOf(requestId),
      http: { method: textOf(method), sourceIp: textOf(sourceIp) },
    },
  };
}

const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
