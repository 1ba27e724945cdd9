/**
 * Loaded before a program: ends it when whoever started it is gone, kill -9 included. So jest's workers go with jest, and
 * what a test starts goes with its worker. Needs the channel that `fork` makes. It is looked at now and then: whoever
 * listens to it keeps the program from ending by itself.
 */
const INTERVAL_MS = 200;

if (process.connected) setInterval(() => process.connected || process.exit(1), INTERVAL_MS).unref();
