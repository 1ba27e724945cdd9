/**
 * Replaces `node:http` in the bundle. An import of that module reads each of its exports. One of them, `WebSocket`,
 * loads undici, which nothing here uses: a fifth of the function's initialisation. Only the exports that the libraries
 * use are here; the bundler refuses any other.
 */
export const { Agent, request, STATUS_CODES } = process.getBuiltinModule('node:http');
