/**
 * A handler behind node:http, as `npm start` serves it. Says its port, and on each message the CPU time used so far, in
 * microseconds.
 *
 * Usage: node server.ts MODULE
 */
import type { AddressInfo } from 'node:net';
import { gatewayServer, type Handlers } from '../local/http-server.ts';
import { TIME_LEFT } from './request.ts';

const { handler } = (await import(process.argv[2] ?? '')) as { readonly handler: Handlers['metered'] };
/** The server's own context is empty; Powertools asks it for the time that is left. */
const metered: Handlers['metered'] = (event, context) => handler(event, Object.assign(context, TIME_LEFT));

const { server } = gatewayServer(Promise.resolve({ metered, health: metered }));
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.(user + system);
});
process.on('disconnect', () => process.exit());
