/** From this status on, an answer tells of a failure of ours. */
export const FIRST_FAILURE_STATUS = 500;
/** The media type of every refusal and failure. */
export const PROBLEM = 'application/problem+json';

/** A stable URN for each code, such as `urn:sandbox-gateway:error:not-signed-in`. */
export const problemType = (code: string): string =>
  `urn:sandbox-gateway:error:${code.toLowerCase().replaceAll('_', '-')}`;

/** The members of every problem (RFC 9457), in the order in which they are sent. */
export const problemMembers = (
  { code, title, status, detail }: Readonly<Record<'code' | 'title' | 'detail', string> & { status: number }>,
  requestId: string,
) => ({ type: problemType(code), title, status, detail, ok: false, code, requestId });
