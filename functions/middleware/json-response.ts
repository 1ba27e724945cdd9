import type { HttpResponse } from './request-state.ts';

/** A success response with a JSON body. */
export const jsonResponse = (status: number, body: object, headers: Record<string, string> = {}): HttpResponse => ({
  statusCode: status,
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(body),
});
