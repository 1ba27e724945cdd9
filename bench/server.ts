/**
 * Serves a handler by node:http, as `npm start` does. Sends its port, and for each message the CPU time used so far, in
 * microseconds.
 *
 * Usage: node server.ts MODULE
 */
import type { AddressInfo } from 'node:net';
import { gatewayServer, type Handlers } from '../local/http-server.ts';
import { TIME_LEFT } from './request.ts';

const { handler } = (await import(process.argv[2] ?? '')) as { readonly handler: Handlers['metered'] };
/** The context of the local server is empty, and Powertools asks it for the remaining time. */
const metered: Handlers['metered'] = (event, context) => handler(event, Object.assign(context, TIME_LEFT));

const { server } = gatewayServer(Promise.resolve({ metered, health: metered }));
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.(user + system);
});
process.on('disconnect', () => process.exit());
