/**
 * Takes the place of `node:http` in the bundle. Importing that module reads each of its exports. One of them, `WebSocket`,
 * loads undici, which nothing here uses: a fifth of the function's initialisation. These are the exports that the
 * libraries name; the bundler refuses any other.
 */
export const { Agent, request, STATUS_CODES } = process.getBuiltinModule('node:http');
