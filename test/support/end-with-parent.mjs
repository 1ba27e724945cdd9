/**
 * Loaded before a program: ends it when its parent is gone, even after kill -9. So jest's workers end with jest, and
 * the programs of a test end with its worker. It needs the channel that `fork` makes. It checks the channel at
 * intervals, since a listener would keep the program from ending by itself.
 */
const INTERVAL_MS = 200;

if (process.connected) setInterval(() => process.connected || process.exit(1), INTERVAL_MS).unref();
