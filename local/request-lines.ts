import { styleText } from 'node:util';

/** A request as the functions log it. */
interface LoggedRequest {
  readonly timestamp: string;
  readonly requestId: string;
  /** The gateway's: `POST /api/v1/sandbox/ping`. */
  readonly routeKey?: string;
  /** The portal's. */
  readonly route?: string | null;
  readonly status: number;
  readonly code?: string;
  readonly outcome?: string;
  readonly units?: number;
  readonly durationMs: number;
}

const TIME = { from: 'YYYY-MM-DDT'.length, to: 'YYYY-MM-DDTHH:MM:SS'.length };
const STATUS_CLIENT_ERROR = 400;
const ROUTE_WIDTH = 30;
const OUTCOME_WIDTH = 20;

/** Shows what the functions log of a request as one short line. Everything else on the stream stays as it is. */
export function shortenRequests(stream: NodeJS.WriteStream): void {
  const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
  stream.write = (chunk: unknown, ...rest: unknown[]) =>
    write(typeof chunk === 'string' ? (requestLine(chunk) ?? chunk) : chunk, ...rest);
}

/** Undefined: it is not the JSON of a request. */
export function requestLine(text: string): string | undefined {
  if (!text.startsWith('{') || !text.includes('"message":"request"')) return undefined;
  let entry: LoggedRequest;
  try {
    entry = JSON.parse(text) as LoggedRequest;
  } catch {
    return undefined;
  }
  const { timestamp, routeKey, route, status, code, outcome, units, durationMs, requestId } = entry;
  return `${[
    styleText('dim', timestamp.slice(TIME.from, TIME.to)),
    styleText(status < STATUS_CLIENT_ERROR ? 'green' : 'red', String(status)),
    (routeKey ?? route ?? '').padEnd(ROUTE_WIDTH),
    (code ?? outcome ?? '').padEnd(OUTCOME_WIDTH),
    ...(units === undefined ? [] : [`${units} ${units === 1 ? 'unit ' : 'units'}`]),
    `${durationMs} ms`.padStart('9999 ms'.length),
    styleText('dim', requestId),
  ].join('  ')}\n`;
}
